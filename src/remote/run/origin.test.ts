import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { moveOrigin, readOrigin, writeOrigin } from "./origin.ts";

const ID = "20260101-000000-train-0000";
const ORIGIN = {
  target: "ssh://nano@10.0.0.2",
  boardFolder: `/home/nano/.jetson-memprof/runs/${ID}`,
  simulated: false,
};

describe("origin.json", () => {
  let top: string;
  let folder: string;
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), "jmp-origin-"));
    folder = join(top, ID);
    mkdirSync(folder);
    vi.stubEnv("XDG_STATE_HOME", join(top, "state"));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(top, { recursive: true, force: true });
  });

  it("is another's where it came from elsewhere, or says another place than it did", async () => {
    await writeOrigin(folder, ORIGIN);
    expect(statSync(join(top, "state/jetson-memprof/seal.key")).mode & 0o777).toBe(0o600);
    const file = join(folder, "origin.json");
    const written = readFileSync(file, "utf8");
    writeFileSync(file, written.replace("10.0.0.2", "10.0.0.3"));
    expect(await readOrigin(folder)).toMatchObject({ target: "ssh://nano@10.0.0.3", own: false });
    writeFileSync(file, written);
    vi.stubEnv("XDG_STATE_HOME", join(top, "of another account"));
    expect(await readOrigin(folder)).toMatchObject({ own: false });
    // Found there once, it is known.
    await moveOrigin(folder, ORIGIN.target);
    expect(await readOrigin(folder)).toMatchObject({ own: true });
  });

  it("is written without a seal where no key can be kept", async () => {
    writeFileSync(join(top, "a file"), "");
    vi.stubEnv("XDG_STATE_HOME", join(top, "a file"));
    await writeOrigin(folder, ORIGIN);
    expect(await readOrigin(folder)).toEqual({ ...ORIGIN, id: ID, own: false });
  });

  it("has one key for all that make one at once", async () => {
    await Promise.all(Array.from({ length: 8 }, () => writeOrigin(folder, ORIGIN)));
    expect(await readOrigin(folder)).toMatchObject({ own: true });
    expect(readdirSync(join(top, "state/jetson-memprof"))).toEqual(["seal.key"]);
  });

  it("is read as it was written, and names the run", async () => {
    await writeOrigin(folder, ORIGIN);
    expect(await readOrigin(folder)).toEqual({ ...ORIGIN, id: ID, own: true });
    expect(readdirSync(folder)).toEqual(["origin.json"]);
  });

  it("takes the board's new address, and nothing else changes", async () => {
    await writeOrigin(folder, { ...ORIGIN, simulated: true });
    await moveOrigin(folder, "ssh://nano@10.0.0.9");
    expect(await readOrigin(folder)).toEqual({
      ...ORIGIN,
      simulated: true,
      target: "ssh://nano@10.0.0.9",
      id: ID,
      own: true,
    });
  });

  it("is not written through a link that lies in its place", async () => {
    await writeOrigin(folder, ORIGIN);
    const victim = join(top, "victim");
    writeFileSync(victim, readFileSync(join(folder, "origin.json")));
    rmSync(join(folder, "origin.json"));
    symlinkSync(victim, join(folder, "origin.json"));
    await moveOrigin(folder, "ssh://nano@10.0.0.9");
    expect(readFileSync(victim, "utf8")).not.toContain("10.0.0.9");
    expect((await readOrigin(folder)).target).toBe("ssh://nano@10.0.0.9");
  });

  it.skipIf(process.platform === "win32")("is not waited for where a pipe lies in its place", async () => {
    execFileSync("mkfifo", [join(folder, "origin.json")]);
    await expect(readOrigin(folder)).rejects.toMatchObject({ code: "no-origin" });
  });

  it.each([
    ["bad-origin", "{"],
    ["bad-origin", '{"schema":1,"target":"ssh://x"}'],
    ["bad-origin", `{"schema":1,"target":"ssh://x","board_folder":"/r/runs/20260101-000000-other-0000"}`],
    ["newer-schema", `{"schema":2,"target":"ssh://x","board_folder":"/r/runs/${ID}"}`],
  ])("is refused as %s: %s", async (code, text) => {
    writeFileSync(join(folder, "origin.json"), text);
    await expect(readOrigin(folder)).rejects.toMatchObject({ code });
  });
});
