import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));

  it("is read as it was written, and names the run", async () => {
    await writeOrigin(folder, ORIGIN);
    expect(await readOrigin(folder)).toEqual({ ...ORIGIN, id: ID });
    expect(readdirSync(folder)).toEqual(["origin.json"]);
  });

  it("takes the board's new address, and nothing else changes", async () => {
    await writeOrigin(folder, { ...ORIGIN, simulated: true });
    await moveOrigin(folder, "ssh://nano@10.0.0.9");
    expect(await readOrigin(folder)).toEqual({ ...ORIGIN, simulated: true, target: "ssh://nano@10.0.0.9", id: ID });
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
