import { expect, it } from "vitest";
import { mapLines } from "../../compare/matching/lineMap.ts";
import type { Profile } from "../../profile/model.ts";
import { MIB } from "../../profile/testing.ts";
import { lineHere } from "./lineHere.ts";

type Run = Pick<Profile["run"], "state" | "engine">;

const engine = { name: "line", exact: false, accelerator: true } as const;
const RUNNING: Run = { state: "running", engine };
const MAP = mapLines(["import os", "work()"], ["# new", "import os", "work()"]);
const LAST = { t: 12_400, hits: 3, rss: 519 * MIB, at: { path: "train.py", line: 2 } };

it("is where the main thread was last seen, in the document as it is now, and says when", () => {
  expect(lineHere(RUNNING, LAST, "train.py", MAP)).toEqual({ line: 3, text: "here at 12 s · RSS 519.0 MiB" });
  const { rss: _, ...unread } = LAST;
  expect(lineHere(RUNNING, unread, "train.py", MAP)?.text).toBe("here at 12 s");
});

it("says that valgrind's own memory is in it", () => {
  const massif: Run = { ...RUNNING, engine: { ...engine, name: "massif" } };
  expect(lineHere(massif, LAST, "train.py", MAP)?.text).toBe("here at 12 s · script and valgrind 519.0 MiB");
});

it("is in no other file, and nowhere once the run has ended or its line is gone", () => {
  expect(lineHere(RUNNING, LAST, "model.py", MAP)).toBeUndefined();
  expect(lineHere(RUNNING, undefined, "train.py", MAP)).toBeUndefined();
  expect(lineHere({ ...RUNNING, state: "finished" }, LAST, "train.py", MAP)).toBeUndefined();
  expect(lineHere(RUNNING, LAST, "train.py", mapLines(["import os", "work()"], ["import os"]))).toBeUndefined();
});
