import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeProject, TRAIN } from "../../profile/testing.ts";
import { createHandlers, type Handlers } from "../handlers.ts";
import { createRunStore, type RunStore } from "../runs/runStore.ts";

let project: string;
let run: string;
let remove: () => void;
let store: RunStore;
let handlers: Handlers;
let text: string | undefined;

beforeEach(() => {
  ({ project, run, remove } = makeProject());
  text = undefined;
  let version = 0;
  store = createRunStore({ onChange: () => {} });
  handlers = createHandlers({
    store,
    openDocument: () => (text === undefined ? undefined : { version: ++version, text }),
    platform: process.platform,
  });
});
afterEach(() => {
  store.dispose();
  remove();
});

const lineNow = (line: number, name = "train.py") =>
  handlers.lineNow({ folder: run, path: name, line, uri: pathToFileURL(path.join(project, name)).href });

it("finds a profiled line in the document as it is now, whether or not its run is shown", async () => {
  expect(await lineNow(7)).toEqual({ line: 7, gone: false });
  text = `# one\n# two\n${TRAIN}`;
  expect(await lineNow(7)).toEqual({ line: 9, gone: false });
});

it("names the nearest line above where the line was deleted", async () => {
  text = TRAIN.split("\n")
    .filter((_, index) => index !== 6)
    .join("\n");
  expect(await lineNow(7)).toEqual({ line: 6, gone: true });
  expect(await lineNow(8)).toEqual({ line: 7, gone: false });
  text = "";
  expect(await lineNow(7)).toEqual({ line: 1, gone: true });
});

it("answers a line that the file never had", async () => {
  const last = TRAIN.trimEnd().split("\n").length;
  expect(await lineNow(2 ** 40)).toEqual({ line: last, gone: true });
});

it("knows nothing of a file the run did not measure", async () => {
  expect(await lineNow(1, "other.py")).toBeNull();
});
