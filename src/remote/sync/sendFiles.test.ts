import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileChanged, hashFile, sendFiles } from "./sendFiles.ts";
import { walkProject } from "./walk.ts";

const signal = new AbortController().signal;
let top: string;
let root: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "jmp-send-"));
  root = join(top, "project");
  mkdirSync(join(root, "sub"), { recursive: true });
  writeFileSync(join(root, "sub/a.py"), "print()\n");
  mkdirSync(join(top, "other"));
  writeFileSync(join(top, "other/a.py"), "secret\n");
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

async function found() {
  const { files } = await walkProject(root, [], signal);
  const [file] = files;
  if (file === undefined || files.length > 1) throw new Error("one file was expected");
  return file;
}

describe("a file whose place is taken after it was found", () => {
  const place = (): string => join(root, "sub/a.py");
  it.each([
    ["a link", () => symlinkSync(join(top, "other/a.py"), place())],
    ["a pipe, which nobody writes to", () => execFileSync("mkfifo", [place()])],
    ["another file", () => renameSync(join(top, "other/a.py"), place())],
    ["nothing", () => {}],
  ])("by %s is neither hashed nor sent", async (_, take) => {
    const file = await found();
    renameSync(place(), join(root, "sub/kept"));
    take();
    await expect(hashFile(root, file)).rejects.toThrow(FileChanged);
    const wire = new PassThrough();
    await expect(sendFiles(wire, root, [file], signal, () => {})).rejects.toThrow(FileChanged);
    expect(wire.read()).toBe(null);
  });

  it("as its folder is a link to another one now is not sent", async () => {
    const file = await found();
    renameSync(join(root, "sub"), join(root, "kept"));
    symlinkSync(join(top, "other"), join(root, "sub"));
    const wire = new PassThrough();
    await expect(sendFiles(wire, root, [file], signal, () => {})).rejects.toThrow(FileChanged);
    expect(wire.read()).toBe(null);
  });

  it("is sent where it is still the same", async () => {
    const wire = new PassThrough();
    await sendFiles(wire, root, [await found()], signal, () => {});
    expect(String(wire.read())).toMatch(/^\{"path":"sub\/a\.py","size":8,.*\}\nprint\(\)\n$/);
  });
});
