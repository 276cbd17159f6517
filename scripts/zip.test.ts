import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeZip, type ZipFile, zipEntries } from "./zip.mjs";

const TEXT = "which line took the memory? ".repeat(50);
const FILES: readonly ZipFile[] = [
  { name: "b/run.cjs", data: Buffer.from(TEXT), executable: true },
  { name: "B.txt", data: Buffer.from(TEXT), executable: false },
  { name: "a.webp", data: Buffer.from(TEXT), executable: false },
  { name: "empty", data: Buffer.alloc(0), executable: false },
];
const NOON = Date.UTC(2024, 1, 29, 12, 30, 8) / 1000;

describe("a zip archive", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "jmp-zip-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("is the same for the same files, whatever their order", async () => {
    const one = await makeZip(FILES, NOON);
    expect((await makeZip([...FILES].reverse(), NOON)).equals(one)).toBe(true);
  });

  it("keeps names beyond ASCII for every reader", async () => {
    const file = join(folder, "names.zip");
    writeFileSync(file, await makeZip([{ name: "größe.md", data: Buffer.from(TEXT), executable: false }], NOON));
    const script = "import sys, zipfile; print(ascii(zipfile.ZipFile(sys.argv[1]).namelist()))";
    expect(execFileSync("python3", ["-c", script, file], { encoding: "utf8" }).trim()).toBe("['gr\\xf6\\xdfe.md']");
  });

  it("is read by Python with every name, content, time and right", async () => {
    const file = join(folder, "a.zip");
    writeFileSync(file, await makeZip(FILES, NOON));
    const script = `
import json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
print(json.dumps([[i.filename, z.read(i).decode(), i.date_time, oct(i.external_attr >> 16), i.compress_type] for i in z.infolist()]))`;
    const read: unknown = JSON.parse(execFileSync("python3", ["-c", script, file], { encoding: "utf8" }));
    const time = [2024, 2, 29, 12, 30, 8];
    expect(read).toEqual([
      ["B.txt", TEXT, time, "0o100644", 8],
      ["a.webp", TEXT, time, "0o100644", 0],
      ["b/run.cjs", TEXT, time, "0o100755", 8],
      ["empty", "", time, "0o100644", 0],
    ]);
  });

  it("is read by ourselves", async () => {
    const file = join(folder, "b.zip");
    writeFileSync(file, await makeZip(FILES, NOON));
    const entries = zipEntries(file);
    expect(entries.map(({ name, size }) => [name, size])).toEqual([
      ["B.txt", TEXT.length],
      ["a.webp", TEXT.length],
      ["b/run.cjs", TEXT.length],
      ["empty", 0],
    ]);
    expect(entries[0]?.packed).toBeLessThan(100);
    expect(entries.map((entry) => entry.read().toString())).toEqual([TEXT, TEXT, TEXT, ""]);
  });

  it("says 1980 for earlier times, as it knows none", async () => {
    expect((await makeZip(FILES, 0)).equals(await makeZip(FILES, Date.UTC(1980, 0, 1) / 1000))).toBe(true);
  });

  it("is told from other files", () => {
    const file = join(folder, "c.zip");
    writeFileSync(file, "no archive");
    expect(() => zipEntries(file)).toThrow(/is not a zip archive/);
  });
});
