import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readPlain } from "./plainFile.ts";

const folder = mkdtempSync(join(tmpdir(), "memprof-plain-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string): string => join(folder, name);

describe("a file of the SSH configuration", () => {
  it("is read", async () => {
    writeFileSync(path("config"), "Host nano\n");
    expect((await readPlain(path("config"))).toString()).toBe("Host nano\n");
  });

  it("is empty where it is /dev/null, by any name", async () => {
    symlinkSync("/dev/null", path("nothing"));
    expect(await readPlain("/dev/null")).toHaveLength(0);
    expect(await readPlain(path("nothing"))).toHaveLength(0);
  });

  it("is not read where it has no end", async () => {
    symlinkSync("/dev/zero", path("endless"));
    await expect(readPlain(path("endless"))).rejects.toMatchObject({ code: "a device, not a file" });
  });

  it("is not waited for where it is a pipe", async () => {
    execFileSync("mkfifo", [path("pipe")]);
    await expect(readPlain(path("pipe"))).rejects.toMatchObject({ code: "a pipe, not a file" });
  });
});
