import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MIB, makeProject, TRAIN, writeFiles } from "../../profile/testing.ts";
import type { MassifSource } from "../../protocol/server.ts";
import { createMassifDocuments } from "./documents.ts";
import { createMassifProcesses } from "./processes.ts";
import { FRAMES, MASSIF_OUT, massifFiles, massifRunJson, PID } from "./testing.ts";

/** The later run: a line above, so that all Python lines of train.py are one further down; 40 MiB in place of 20. */
const LATER: Record<string, string> = {
  "sources/train.py": `# a comment\n${TRAIN}`,
  [`massif.frames.${PID}.jsonl`]: FRAMES.map((record) =>
    "path" in record && record.path === "train.py" && "line" in record
      ? { ...record, line: (record.line as number) + 1 }
      : record,
  )
    .map((record) => `${JSON.stringify(record)}\n`)
    .join(""),
  [`massif.out.${PID}`]: MASSIF_OUT.replaceAll(`n1: ${20 * MIB}`, `n1: ${40 * MIB}`)
    .replaceAll(`n0: ${20 * MIB}`, `n0: ${40 * MIB}`)
    .replaceAll(String(100 * MIB), String(120 * MIB)),
};

let remove: () => void;
let source: Extract<MassifSource, { kind: "runs" }>;
const documents = createMassifDocuments(createMassifProcesses());

beforeEach(() => {
  const made = makeProject(massifFiles());
  remove = made.remove;
  const after = path.join(path.dirname(made.run), "later");
  fs.mkdirSync(after);
  const lines = massifFiles()["lines.jsonl"] ?? "";
  writeFiles(after, massifFiles({ ...LATER, "lines.jsonl": lines.replaceAll('"sha256":"aa"', '"sha256":"cc"') }));
  source = { kind: "runs", before: made.run, after };
});
afterEach(() => remove());

it("pairs the same process of both runs at its peak, and keeps each by itself", async () => {
  const document = await documents.document(source);
  expect(document.title).toBe('Two runs of train.py --name "a b"');
  expect(document.board).toBe("simulated board");
  expect(document.files.map(({ name }) => name)).toEqual(["before: main", "after: main"]);
  expect(document.pairs).toEqual([{ name: "main", before: { file: 0, snapshot: 1 }, after: { file: 1, snapshot: 1 } }]);
  expect(document.lines).toEqual([]);
  expect(document.notes.some((note) => note.startsWith("After: "))).toBe(true);
});

it("names the earlier run's Python lines as the later sources have them", async () => {
  await documents.document(source);
  const places = async (file: number) => {
    const tree = await documents.tree(source, { kind: "snapshot", file, snapshot: 1 });
    return tree.python.map(({ place }) => `${place.path}:${place.line}`).sort();
  };
  expect(await places(0)).toEqual(["model.py:2", "train.py:11", "train.py:5", "train.py:8"]);
  expect(await places(0)).toEqual(await places(1));
});

it("a line that the later source does not have meets no other line", async () => {
  const now = TRAIN.replace("    net = model.build()\n", "");
  writeFiles(source.after, { "sources/train.py": now });
  await documents.document(source);
  const tree = await documents.tree(source, { kind: "snapshot", file: 0, snapshot: 1 });
  expect(tree.python.map(({ place }) => place.path)).toContain("train.py (before)");
});

it("says so where the runs have no process in common", async () => {
  const other = JSON.stringify(massifRunJson({ processes: [{ pid: PID, ppid: 9, kind: "main", label: "other" }] }));
  writeFiles(source.after, { "run.json": other });
  await expect(documents.document(source)).rejects.toMatchObject({ code: "massif-none" });
});
