import * as fs from "node:fs";
import * as path from "node:path";
import { describe, expect, it } from "vitest";
import { requirement } from "../../support/requirement.ts";
import { useProgram } from "./program.ts";

const GROW = `import os
kept = []

def fill(count):
    for _ in range(count):
        kept.append(bytearray(3000000))

fill(3)
print("kept", len(kept), flush=True)
os.getcwd()
`;

const present = requirement("python3", "/usr/bin/python3") && requirement("valgrind", "/usr/bin/valgrind");
describe.skipIf(!present)("profile --engine massif", () => {
  const { run, script } = useProgram();
  const PROFILE = ["profile", "grow.py", "--target", "loopback", "--python", "/usr/bin/python3"];
  /** `engine.massif` of the run that was printed. */
  const asked = (stdout: string): { readonly threshold: number; readonly lines: readonly [string, number][] } => {
    const folder = /^Run folder: (.+)$/m.exec(stdout)?.[1] ?? "";
    return JSON.parse(fs.readFileSync(path.join(folder, "run.json"), "utf8")).engine.massif;
  };

  it("measures the heaviest lines of the last run, and prints who held the heap at its peak", async () => {
    script("grow.py", GROW);
    expect((await run(...PROFILE, "--quiet")).status).toBe(0);
    const { status, stdout, stderr } = await run(...PROFILE, "--engine", "massif", "--threshold", "1");
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^kept 3\n/);
    expect(stdout).toMatch(/ · heap measured by massif \(valgrind \d+\.\d+.*\) · .* peak [\d.]+ MiB with valgrind$/m);
    expect(stdout).toMatch(/^main: [\d.]+ MiB of heap at its peak$/m);
    const row = stdout.split("\n").find((line) => line.includes("grow.py:6") && !line.includes("+"));
    expect(row).toMatch(/^ *8\.[6-7] MiB +8\.[6-7] MiB +grow\.py:6 +kept\.append\(bytearray\(3000000\)\)$/);
    expect(stdout).toMatch(/^ *\+8\.[6-7] MiB ± \d+ B +3 +3 +grow\.py:6 +kept\.append/m);
    const { threshold, lines } = asked(stdout);
    expect(threshold).toBe(1);
    expect(lines).toContainEqual(["grow.py", 6]);
    expect(lines).toContainEqual(["grow.py", 8]);

    script("grow.py", `# a line more\n${GROW}`);
    const changed = await run(...PROFILE, "--engine", "massif", "--threshold", "1");
    expect(changed.stderr).toContain("Note: grow.py changed since the last profile");
    expect(asked(changed.stdout).lines).toEqual([]);
  });

  it("refuses a line in a file that is not there", async () => {
    script("grow.py", GROW);
    const { status, stderr } = await run(...PROFILE, "--engine", "massif", "--massif-line", "nowhere.py:3");
    expect(status).toBe(64);
    expect(stderr).toContain("There is no file nowhere.py in the project folder");
  });
});
