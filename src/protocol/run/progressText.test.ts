import { describe, expect, it } from "vitest";
import { progressText, statusText } from "./progressText.ts";

const MIB = 1024 * 1024;

describe("progressText", () => {
  it("says lines, memory now, peak and time", () => {
    const event = {
      kind: "progress",
      elapsedMs: 12_900,
      hits: 1_234_567,
      rss: 512.3 * MIB,
      rssPeak: 900.1 * MIB,
    } as const;
    expect(progressText(event)).toBe("1,234,567 line executions · RSS 512.3 MiB now · 900.1 MiB peak · 12 s");
    expect(statusText("train.py", event)).toBe("train.py: 512.3 MiB");
  });

  it("says that and how far a run is under valgrind, as far as the last run tells", () => {
    const event = { kind: "progress", elapsedMs: 90_000, hits: 3_400, rss: 900 * MIB, underValgrind: true } as const;
    expect(progressText({ ...event, expectedHits: 10_000 })).toBe(
      "under valgrind · 34 % of the lines of the last run · 3,400 line executions · script and valgrind 900.0 MiB now · 1 min 30 s",
    );
    expect(progressText({ ...event, expectedHits: 3_400 })).toContain(" · more lines than the last run · ");
    expect(progressText(event)).toContain(" · progress unknown · ");
    expect(progressText({ ...event, hits: 0, expectedHits: 10_000 })).toMatch(
      /^under valgrind · loading libraries takes a minute or more · script/,
    );
  });

  it("says what is waited for before the script starts", () => {
    expect(progressText({ kind: "phase", phase: "trial" })).toBe(
      "Trying out native stacks on the board, then starting the script…",
    );
  });

  it("leaves out what the board could not read", () => {
    expect(progressText({ kind: "progress", elapsedMs: 65_000, hits: 0 })).toBe("1 min 5 s");
    expect(statusText("train.py", { kind: "progress", elapsedMs: 1, hits: 1 })).toBeUndefined();
  });

  it("counts files and bytes while they are copied", () => {
    expect(
      progressText({ kind: "sync", sentFiles: 12, totalFiles: 1080, sentBytes: 1.25 * MIB, totalBytes: 30 * MIB }),
    ).toBe("Copying files: 12 of 1,080 · 1.3 MiB of 30.0 MiB");
    expect(progressText({ kind: "sync", sentFiles: 0, totalFiles: 0, sentBytes: 0, totalBytes: 0 })).toBeUndefined();
  });

  it("says that the run continues, when it connects again and why it has to", () => {
    const lost = { kind: "reconnecting", attempt: 3, delayMs: 4000, reason: "The board does not answer." } as const;
    expect(progressText({ ...lost, script: "runs" })).toBe(
      "Connection lost, the run continues on the board. Trying again in 4.0 s (attempt 3). The board does not answer.",
    );
    expect(progressText({ ...lost, script: "unsure" })).toMatch(
      /^Connection lost while the script was being started\./,
    );
    expect(progressText({ kind: "reconnected" })).toBe("Running…");
  });
});
