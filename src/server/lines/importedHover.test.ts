import { expect, it } from "vitest";
import type { ImportedFrom, LineRow, Profile } from "../../profile/model.ts";
import { PLAIN_RUN } from "../../profile/testing.ts";
import { hoverText } from "./hover.ts";

const IMPORTED: ImportedFrom = { format: "tracemalloc", file: "heap_*.snap", measures: "live blocks (tracemalloc)" };

function hover(row: Omit<LineRow, "line">, imported: ImportedFrom): string | undefined {
  const profile: Profile = {
    run: { ...PLAIN_RUN, imported, command: { python: "", script: "a.py", args: [] } },
    files: [{ path: "a.py", sha256: "", lines: [{ line: 3, ...row }], functions: [] }],
    byProcess: new Map(),
    metrics: new Set(["rss"]),
    cuda: new Map(),
    phases: [],
    complete: true,
  };
  return hoverText(profile, { path: "a.py", line: 3 });
}

it("says of another tool's figures what they are, and claims neither RSS nor a line that never ended", () => {
  const text = hover({ self: 2 ** 20 }, IMPORTED);
  expect(text).toContain("This line alone");
  expect(text).toContain("+1.0 MiB");
  expect(text).toContain("The figures are live blocks \\(tracemalloc\\)");
  expect(text).toContain("heap\\_\\*\\.snap");
  expect(text).not.toMatch(/RSS|never ended|Hits/);
});

it("is the usual of a run that this profiler measured and that was imported again", () => {
  const text = hover({ hits: 1, net: 0, self: 0 }, { ...IMPORTED, format: "jetson-memprof" });
  expect(text).toContain("Memory (RSS)");
});
