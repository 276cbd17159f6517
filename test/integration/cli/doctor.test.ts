import { describe, expect, it } from "vitest";
import { requirement } from "../../support/requirement.ts";
import { useProgram, useSimulatedBoard } from "./program.ts";

const { run } = useProgram();

describe.skipIf(!requirement("python3", "/usr/bin/python3"))("doctor", () => {
  useSimulatedBoard("nano");

  it("prints what a board has and lacks, and names in its first line what is simulated", async () => {
    const { status, stdout, stderr } = await run("doctor", "--target", "loopback");
    expect([status, stderr]).toEqual([0, ""]);
    const [first, ...lines] = stdout.split("\n");
    expect(first).toMatch(
      /^NVIDIA Jetson Nano Developer Kit, JetPack 4\.6\S* \(L4T 32\.7\.\d\) · .*, simulated Jetson Nano$/,
    );
    expect(
      lines.some((line) => /^ {2}ok +Board +Jetson Nano 4 GB, tegra210, compute capability 5\.3$/.test(line)),
    ).toBe(true);
    expect(lines.some((line) => /^ {2}ok +RAM +3963\.6 MiB in all, 2959\.4 MiB available now/.test(line))).toBe(true);
    expect(stdout).not.toContain("\u001b");
  });

  it("prints the same as JSON", async () => {
    const { status, stdout } = await run("doctor", "--target", "local", "--json");
    expect(status).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ schema: 1, target: "local", simulated: "Jetson Nano" });
    expect(report.lines.map(({ id }: { id: string }) => id)).toContain("tegrastats");
  });

  it("refuses --fix without a terminal, before the board is reached", async () => {
    const { status, stdout, stderr } = await run("doctor", "--target", "nobody@203.0.113.1", "--fix", "swap");
    expect([status, stdout]).toEqual([70, ""]);
    expect(stderr).toContain("--fix shows a command and asks before it is run");
  });
});
