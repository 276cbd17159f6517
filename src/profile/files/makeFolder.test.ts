import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeFolder } from "./makeFolder.ts";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "make-folder-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

describe("making a folder", () => {
  it("makes those above it too, and leaves what is there", async () => {
    const deep = path.join(folder, "a", "b", "c");
    await Promise.all([makeFolder(deep), makeFolder(deep)]);
    expect(await makeFolder(deep)).toBe(false);
    expect(await makeFolder(path.join(deep, "d"))).toBe(true);
    expect(fs.statSync(deep).isDirectory()).toBe(true);
  });

  it("is refused below a file", async () => {
    fs.writeFileSync(path.join(folder, "file"), "");
    await expect(makeFolder(path.join(folder, "file", "below"))).rejects.toMatchObject({ code: "EEXIST" });
    await expect(makeFolder(path.join(folder, "file"))).rejects.toMatchObject({ code: "EEXIST" });
  });

  it.runIf(process.platform === "linux")("ends below /proc, where nothing can be made", async () => {
    await expect(makeFolder("/proc/none/below")).rejects.toMatchObject({ code: "ENOENT" });
  });
});
