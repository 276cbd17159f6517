import * as path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { changeLabel } from "../../runs/keeping.ts";
import { createRunList } from "../../runs/list/runList.ts";
import { makeHistory, type TestHistory } from "../../runs/testing.ts";
import { runNamed } from "./commands.ts";

let history: TestHistory;
let first: string;
let second: string;
beforeEach(() => {
  history = makeHistory();
  first = history.add("20260101-100000-train-0001");
  second = history.add("20260102-100000-eval-0002");
});
afterEach(() => history.remove());

const named = async (text: string) => await runNamed(text, await createRunList().runs([history.runs]));
const call = async (folder: string, name: string) => await changeLabel(folder, (label) => ({ ...label, name }));

it("finds a run by its folder, its id, the beginning of that, and as the last", async () => {
  for (const text of [first, path.basename(first), "20260101"]) expect(await named(text)).toBe(first);
  expect(await named("last")).toBe(second);
});

it("finds a run by the name that its user gave it, before the beginnings of ids", async () => {
  await call(first, "baseline");
  expect(await named("baseline")).toBe(first);
  await call(second, "20260101");
  expect(await named("20260101")).toBe(second);
});

it("says which runs are meant where there are several, and that there is none", async () => {
  await expect(named("2026")).rejects.toMatchObject({
    message: `"2026" is the beginning of 2 runs: ${path.basename(second)}, ${path.basename(first)}.`,
  });
  await expect(named("nope")).rejects.toMatchObject({ code: "no-such-run" });
});
