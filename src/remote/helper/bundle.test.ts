import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readHelperBundle, sharedHelperBundle } from "./bundle.ts";
import { makeTar, readTar } from "./tar.ts";

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

  it("is named by the digest of what sha256sum prints of its files, so that a board can tell it by itself", async () => {
    const { archive, digest } = await readHelperBundle(folder);
    const unpacked = join(folder, "unpacked");
    mkdirSync(unpacked);
    execFileSync("tar", ["-xf", "-", "-C", unpacked], { input: archive });
    const sums = execFileSync("sh", ["-c", "find * -type f | LC_ALL=C sort | xargs sha256sum"], { cwd: unpacked });
    expect(createHash("sha256").update(sums).digest("hex")).toBe(digest);
    rmSync(unpacked, { recursive: true });
  });

  it("is the same when it comes as it is shipped: bootstrap.py and one archive", async () => {
    const { archive, digest, bootstrap } = await readHelperBundle(folder);
    const shipped = join(folder, "shipped/python-helper");
    mkdirSync(shipped, { recursive: true });
    mkdirSync(join(shipped, "../dist"));
    writeFileSync(join(shipped, "bootstrap.py"), bootstrap);
    await expect(readHelperBundle(shipped)).rejects.toMatchObject({ code: "helper-missing" });
    writeFileSync(join(shipped, "../dist/helper.tar.br"), brotliCompressSync(archive).subarray(0, 200));
    await expect(readHelperBundle(shipped)).rejects.toMatchObject({ code: "helper-missing" });
    writeFileSync(join(shipped, "../dist/helper.tar.br"), brotliCompressSync(archive.subarray(0, 600)));
    await expect(readHelperBundle(shipped)).rejects.toMatchObject({ code: "helper-missing" });
    writeFileSync(join(shipped, "../dist/helper.tar.br"), brotliCompressSync(archive));
    expect(await readHelperBundle(shipped)).toEqual({ archive, digest, bootstrap });
  });

  it("has the Python of its files made lean, where that is asked for, and is named by what it has", async () => {
    const whole = await readHelperBundle(folder);
    const lean = await readHelperBundle(folder, (python) => python.replace(/# board|hi/, ""));
    expect(lean.digest).not.toBe(whole.digest);
    expect([whole.bootstrap, lean.bootstrap]).toEqual(["print('hi')", "print('')"]);
    const names = (archive: Buffer) => readTar(archive).map(({ name, executable }) => [name, executable]);
    expect(names(lean.archive)).toEqual(names(whole.archive));
    const differ = readTar(whole.archive).filter(
      ({ name, data }) =>
        !readTar(lean.archive)
          .find((file) => file.name === name)
          ?.data.equals(data),
    );
    expect(differ.map(({ name }) => name)).toEqual(["board.py"]);
  });

  it("is read once for all that ask meanwhile, and anew for who asks later", async () => {
    const [one, other] = await Promise.all([sharedHelperBundle(folder), sharedHelperBundle(folder)]);
    expect(other).toBe(one);
    writeFileSync(join(folder, "board.py"), "# another board");
    expect((await sharedHelperBundle(folder)).digest).not.toBe(one.digest);
    writeFileSync(join(folder, "board.py"), "# board");
    const missing = [sharedHelperBundle(join(folder, "boot")), sharedHelperBundle(join(folder, "boot"))];
    for (const failed of missing) await expect(failed).rejects.toMatchObject({ code: "helper-missing" });
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
