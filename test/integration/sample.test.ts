/** The sample project promises figures, in its script and in its README: they are what a first run shows. */
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, expect, it } from "vitest";
import { root, useProgram } from "./cli/program.ts";

const MIB = 1024 * 1024;
/** One decimal is shown, and Python itself takes and gives back a little. */
const TOLERANCE = 0.15 * MIB;

const source = fs.readFileSync(path.join(root, "examples/sample/train.py"), "utf8");
const readme = fs.readFileSync(path.join(root, "examples/sample/README.md"), "utf8");

interface Promised {
  readonly line: number;
  readonly code: string;
  readonly figure: "net_bytes" | "peak_bytes";
  readonly text: string;
  readonly bytes: number;
}

const promised = source.split("\n").flatMap((text, index): Promised[] => {
  const [, code = "", figure, peak, mib] = /^ *(.*?) {2}# ((peak )?([+-]\d+\.\d) MiB)$/.exec(text) ?? [];
  if (figure === undefined) return [];
  const kind = peak === undefined ? "net_bytes" : "peak_bytes";
  return [{ line: index + 1, code, figure: kind, text: figure, bytes: Number(mib) * MIB }];
});

describe("the sample project", () => {
  const scene = useProgram();

  it("shows beside each line what its comment promises", async () => {
    scene.script("train.py", source);
    const { status, stdout, stderr } = await scene.run("profile", "train.py", "--target", "loopback", "--json");
    expect(status, stderr).toBe(0);
    expect(stderr).toContain("learned 2.00");
    const lines: readonly Readonly<Record<string, number>>[] = JSON.parse(stdout).files[0].lines;
    expect(promised).toHaveLength(7);
    for (const { line, code, figure, bytes } of promised) {
      const measured = lines.find((row) => row["line"] === line)?.[figure] ?? Number.NaN;
      expect(Math.abs(measured - bytes), `${code}: ${measured / MIB} MiB`).toBeLessThan(TOLERANCE);
    }
  });

  it("promises the same in its README", () => {
    const rows = [...readme.matchAll(/^\| `(.+?)` \| `(.+?)` \|/gm)].map(([, code, text]) => ({ code, text }));
    expect(rows).toHaveLength(3);
    expect(promised.map(({ code, text }) => ({ code, text }))).toEqual(expect.arrayContaining(rows));
  });
});
