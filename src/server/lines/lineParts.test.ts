import { expect, it } from "vitest";
import type { LineDelta, LineDeltasResult } from "../../protocol/server.ts";
import { createLineParts } from "./lineParts.ts";

const figures = (count: number, bytes: number): LineDeltasResult => ({
  run: { folder: "/run" } as LineDeltasResult["run"],
  metric: "rss",
  stale: false,
  lines: Array.from(
    { length: count },
    (_, i): LineDelta => ({ line: i + 1, bytes, severity: "low", label: "+1.0 MiB", stale: false }),
  ),
});

it("gives a long document in parts, each short, which are of one moment", async () => {
  let asked = 0;
  const parts = createLineParts(async () => figures(12_000, ++asked));
  const lines: LineDelta[] = [];
  for (let from: number | undefined = 0; from !== undefined; ) {
    const part = await parts({ uri: "file:///a.py", from });
    expect(part?.lines.length).toBeLessThanOrEqual(5_000);
    lines.push(...(part?.lines ?? []));
    from = part?.next;
    // Another document's meanwhile.
    await parts({ uri: "file:///b.py" });
  }
  expect(lines).toEqual(figures(12_000, 1).lines);
});

it("asks anew for each first part, and says of a short document that there is no more", async () => {
  let asked = 0;
  const parts = createLineParts(async () => figures(5_000, ++asked));
  await parts({ uri: "file:///a.py" });
  expect(await parts({ uri: "file:///a.py" })).toEqual(figures(5_000, 2));
});

it("answers null of what the run did not measure, also where it was measured when the first part was asked for", async () => {
  const answers = [figures(6_000, 1), null];
  const parts = createLineParts(async () => answers.shift() ?? null);
  expect((await parts({ uri: "file:///a.py" }))?.next).toBe(5_000);
  expect(await parts({ uri: "file:///a.py" })).toBeNull();
  expect(await parts({ uri: "file:///a.py", from: 5_000 })).toBeNull();
});
