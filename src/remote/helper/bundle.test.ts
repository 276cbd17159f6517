import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readHelperBundle } from "./bundle.ts";
import { makeTar } from "./tar.ts";

describe("readHelperBundle", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "jmp-bundle-"));
    for (const [name, text] of Object.entries({
      "bootstrap.py": "print('hi')",
      "board.py": "# board",
      "README.md": "no",
      "jetson_memprof/__init__.py": "",
      "jetson_memprof/engine/a.py": "a = 1\n",
      "jetson_memprof/engine/__pycache__/a.cpython-311.pyc": "no",
      "jetson_memprof/tests/test_a.py": "no",
      "boot/sitecustomize.py": "s",
      "accel/manifest.json": "{}",
      "accel/linetrace-aarch64.so": "\x7fELF",
      "accel/linetrace.c": "no",
      "tests/test_b.py": "no",
    })) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("holds what a board needs and nothing else, readable by tar", async () => {
    const bundle = await readHelperBundle(folder);
    writeFileSync(join(folder, "out.tar"), bundle.archive);
    const list = execFileSync("tar", ["-tvf", join(folder, "out.tar")], { encoding: "utf8" });
    expect(
      list
        .trim()
        .split("\n")
        .map((line) => line.split(/\s+/).at(-1)),
    ).toEqual([
      "accel/linetrace-aarch64.so",
      "accel/manifest.json",
      "board.py",
      "boot/sitecustomize.py",
      "jetson_memprof/__init__.py",
      "jetson_memprof/engine/a.py",
    ]);
    expect(list).toMatch(/^-rwxr-xr-x.*linetrace-aarch64\.so$/m);
    expect((await readHelperBundle(folder)).digest).toBe(bundle.digest);
  });

  it("says which part is missing", async () => {
    await expect(readHelperBundle(join(folder, "boot"))).rejects.toMatchObject({ code: "helper-missing" });
  });
});

describe("makeTar", () => {
  it("refuses a name that would be cut", () => {
    expect(() => makeTar([{ name: "a".repeat(101), data: Buffer.alloc(0), executable: false }])).toThrow(RangeError);
  });
});
