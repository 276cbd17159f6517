import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { listRunFolders, runsFolderOf } from "../../profile/run/runsFolder.ts";
import { UserError } from "../../profile/userError.ts";
import { importFile } from "./importFile.ts";

let project = "";
beforeEach(() => {
  project = fs.mkdtempSync(path.join(os.tmpdir(), "import-file-"));
});
afterEach(() => fs.rmSync(project, { recursive: true }));

const place = (name: string, text: string) => {
  fs.writeFileSync(path.join(project, name), text);
  return path.join(project, name);
};
const runs = () => listRunFolders(runsFolderOf(project));
const ROW = "     3 2081.602 MiB 1585.188 MiB           1   rows = load()\n";
const LOG = "RAM 613/3964MB (lfb 634x4MB)\nRAM 900/3964MB (lfb 634x4MB)\n";

it("makes a run, and says what it has", async () => {
  const answer = await importFile({ file: place("log.txt", LOG), project });
  expect(answer).toMatchObject({
    kind: "imported",
    said: expect.stringMatching(/^A run was imported from tegrastats \(log\.txt\): 2 moments/),
    views: ["timeline"],
  });
  expect(await runs()).toEqual([answer.kind === "imported" ? answer.folder : ""]);
});

it("asks which tool wrote a file that is like none, and writes nothing until it knows", async () => {
  const file = place("notes.txt", "hello\n");
  expect(await importFile({ file, project })).toEqual({ kind: "needs-format" });
  expect(fs.readdirSync(project)).toEqual(["notes.txt"]);
  await expect(importFile({ file, project, format: "mprof" })).rejects.toThrow(/no measurement was found/);
});

it("asks which source a report is of that names none, and takes no answer for an answer", async () => {
  const file = place("row.txt", ROW);
  expect(await importFile({ file, project })).toEqual({ kind: "needs-file", format: "memory_profiler" });
  expect(fs.readdirSync(project)).toEqual(["row.txt"]);
  const request = { file, project, format: "memory_profiler" } as const;
  expect(await importFile({ ...request, source: null })).toMatchObject({ kind: "imported", views: ["lines"] });
  expect(await importFile({ ...request, source: "net.py" })).toMatchObject({ kind: "imported" });
  expect(await runs()).toHaveLength(2);
});

it("writes nothing once it was cancelled, at the beginning or within a large log", async () => {
  const file = place("log.txt", LOG.repeat(60_000));
  const cancelled = new Error("cancelled");
  await expect(importFile({ file, project }, AbortSignal.abort(cancelled))).rejects.toBe(cancelled);
  const controller = new AbortController();
  const importing = importFile({ file, project }, controller.signal);
  controller.abort(cancelled);
  await expect(importing).rejects.toBe(cancelled);
  expect(fs.readdirSync(project)).toEqual(["log.txt"]);
});

it.each(["gone", ".", "empty.txt"])("refuses in words what it cannot read: %s", async (name) => {
  place("empty.txt", "");
  const importing = importFile({ file: path.join(project, name), project });
  await expect(importing).rejects.toBeInstanceOf(UserError);
  await expect(importing).rejects.toHaveProperty("hint");
});

it("keeps to the project: a source outside of it is refused", async () => {
  const request = { file: place("row.txt", ROW), project };
  for (const source of ["../other.py", "/etc/passwd", "a/../../b.py"]) {
    await expect(importFile({ ...request, source })).rejects.toThrow(/is not in the project/);
  }
  expect(fs.readdirSync(project)).toEqual(["row.txt"]);
});
