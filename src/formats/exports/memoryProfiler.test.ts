import { expect, it } from "vitest";
import type { Profile } from "../../profile/model.ts";
import { NOTHING_KEPT } from "../../runs/keeping.ts";
import { importContent } from "../imports/importers.ts";
import { exportWhole } from "./exportRun.ts";
import { randomProfile } from "./testing.ts";

const HALF_OF_LAST_DIGIT = 0.0005 * 1024 * 1024;

const modified = new Date("2026-11-21T09:45:01Z");
const source = (path: string) => (path.endsWith(".py") ? { text: "\n".repeat(200), modified } : undefined);
const CONTEXT = { file: "report.txt", modified, project: { root: "/home/nano/project", source } };

/** With all that the package's table has columns for, in files whose names no reader changes. */
function reported(seed: number): Profile {
  const profile = randomProfile(seed);
  const files = profile.files
    .filter(({ path, lines }) => /^[\w/]+\.py$/.test(path) && lines.length > 0)
    .map((file) => ({
      ...file,
      functions: [],
      lines: file.lines.map(({ line, hits = 1, net = 0, usage = 4096 }) => ({ line, hits, net, usage })),
    }));
  return { ...profile, files };
}

it("is read by the importer of memory_profiler's reports with usage, increment and occurrences to 0.001 MiB", () => {
  let lines = 0;
  for (let seed = 1; seed <= 40; seed++) {
    const profile = reported(seed);
    if (profile.files.length === 0) continue;
    const whole = { profile, samples: [], sources: new Map(), keeping: NOTHING_KEPT, heaps: [], problems: [] };
    const { content } = exportWhole(whole, "memory_profiler", {});
    const back = importContent(Buffer.from([...content].join("")), {}, CONTEXT).profile;
    expect(back.files.map(({ path }) => path).sort()).toEqual(profile.files.map(({ path }) => path).sort());
    for (const file of profile.files) {
      const found = back.files.find(({ path }) => path === file.path)?.lines ?? [];
      expect(found.map(({ line, hits }) => ({ line, hits }))).toEqual(
        file.lines.map(({ line, hits }) => ({ line, hits })),
      );
      for (const [place, row] of file.lines.entries()) {
        const { usage = Number.NaN, net = Number.NaN } = found[place] ?? {};
        expect(Math.abs(usage - (row.usage ?? 0))).toBeLessThanOrEqual(HALF_OF_LAST_DIGIT + 1);
        expect(Math.abs(net - (row.net ?? 0))).toBeLessThanOrEqual(HALF_OF_LAST_DIGIT + 1);
        lines++;
      }
    }
  }
  expect(lines).toBeGreaterThan(500);
});
