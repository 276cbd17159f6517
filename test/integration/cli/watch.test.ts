import { describe, expect, it } from "vitest";
import { requirement } from "../../support/requirement.ts";
import { ended, type Running, useProgram, useSimulatedBoard } from "./program.ts";

const { run, start } = useProgram();

/** Presses Ctrl-C once, when the program has printed so many lines: a second one ends it otherwise. */
function interruptAfter(lines: number, child: Running): void {
  let left = lines;
  child.stdout.on("data", function count(text: string) {
    left -= text.split("\n").length - 1;
    if (left > 0) return;
    child.stdout.off("data", count);
    child.kill("SIGINT");
  });
}

describe.skipIf(!requirement("python3", "/usr/bin/python3"))("watch", () => {
  useSimulatedBoard("nano");

  it.each([
    ["local", "this computer"],
    ["loopback", "simulated board (this computer, over SSH)"],
  ])("prints a line for each reading of %s until Ctrl-C, and names what is simulated", async (target, place) => {
    const child = start(["watch", "--target", target, "--interval", "0.25"]);
    const result = ended(child);
    interruptAfter(4, child);
    const { status, stdout, stderr } = await result;
    expect(status).toBe(0);
    expect(stderr).toBe(
      `Watching NVIDIA Jetson Nano Developer Kit (${place}, simulated Jetson Nano). Ctrl-C ends it.\n`,
    );
    const [header, ...lines] = stdout.trimEnd().split("\n");
    expect(header).toBe("     Time     RAM used    Available    Swap used  GPU load");
    expect(lines.length).toBeGreaterThanOrEqual(3);
    // 4058732 kB in all, 3030412 kB available.
    for (const line of lines) expect(line).toMatch(/^ +\d+\.\d s {3}1004\.2 MiB {3}2959\.4 MiB {10}0 B {7}0 %$/);
  });

  it("passes the records on as JSON, a line each", async () => {
    const child = start(["watch", "--target", "local", "--interval", "0.25", "--json"]);
    const result = ended(child);
    interruptAfter(3, child);
    const { status, stdout } = await result;
    expect(status).toBe(0);
    const [header, ...records] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(header).toMatchObject({ record: "header", simulated: "Jetson Nano", interval_ms: 250 });
    const available = header.meminfo.indexOf("MemAvailable");
    for (const record of records) expect(record.m[available]).toBe(3_030_412);
  });

  it("says what is wrong where the board cannot be reached", async () => {
    const { status, stderr } = await run("watch", "--target", "ssh://nobody@127.0.0.1:1");
    expect(status).toBe(70);
    expect(stderr).toMatch(/^jetson-memprof: .*127\.0\.0\.1/);
  });
});
