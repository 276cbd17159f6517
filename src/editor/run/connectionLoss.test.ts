import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createConnectionLoss, type LossParts, type Reconnecting } from "./connectionLoss.ts";

const lostAt = (attempt: number, delayMs: number): Reconnecting => ({
  kind: "reconnecting",
  attempt,
  delayMs,
  reason: "nano closed the connection.",
  script: "runs",
});

describe("a lost connection", () => {
  let said: string[][];
  let parts: LossParts;

  beforeEach(() => {
    vi.useFakeTimers({ now: new Date(2026, 0, 5, 14, 3, 5) });
    said = [];
    const into =
      (name: string) =>
      (...lines: readonly string[]) =>
        said.push([name, lines.join("\n")]);
    parts = {
      progress: into("progress"),
      note: into("note"),
      offer: into("offer"),
      tell: into("tell"),
      changed: into("changed"),
    };
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const of = (name: string): string[] => said.filter(([kind]) => kind === name).map(([, text]) => text ?? "");

  it("is told with its time, that the run continues, and a count to the next try", () => {
    const loss = createConnectionLoss("train.py @ nano", parts);
    loss.reconnecting(lostAt(1, 2_000));
    expect(of("progress")[0]).toMatch(
      /^Connection lost, the run continues on the board\. Since .*(14|2):03:05.*\. Trying again in 2 s\.$/,
    );
    vi.advanceTimersByTime(1_000);
    expect(of("progress").at(-1)).toContain("Trying again in 1 s.");
    vi.advanceTimersByTime(1_000);
    expect(of("progress").at(-1)).toContain("Trying now…");
    expect(loss.isLost).toBe(true);
    expect(of("changed")).toHaveLength(1);
    loss.dispose();
    const before = said.length;
    vi.advanceTimersByTime(5_000);
    expect(said).toHaveLength(before);
  });

  it("is noted once among the output, with the reason, and once more when it is back", () => {
    const loss = createConnectionLoss("train.py @ nano", parts);
    loss.reconnecting(lostAt(1, 1_000));
    vi.advanceTimersByTime(1_500);
    loss.reconnecting(lostAt(2, 2_000));
    vi.advanceTimersByTime(2_500);
    loss.reconnected();
    expect(of("note")).toEqual([
      expect.stringContaining("(nano closed the connection.)"),
      "Connected again after 4.0 s.",
    ]);
    expect(of("progress").at(-1)).toContain("Since");
    expect(loss.isLost).toBe(false);
  });

  it("asks nothing where the first try brings it back, and once in an outage otherwise", () => {
    const loss = createConnectionLoss("train.py @ nano", parts);
    loss.reconnecting(lostAt(1, 1_000));
    loss.reconnected();
    expect([...of("offer"), ...of("tell")]).toEqual([]);
    for (const attempt of [1, 2, 3]) loss.reconnecting(lostAt(attempt, 1_000));
    expect(of("offer")).toHaveLength(1);
    loss.reconnected();
    loss.reconnected();
    expect(of("tell")).toHaveLength(1);
    for (const attempt of [1, 2]) loss.reconnecting(lostAt(attempt, 1_000));
    expect(of("offer")).toHaveLength(2);
    loss.dispose();
  });
});
