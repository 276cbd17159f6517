import { afterEach, describe, expect, it, vi } from "vitest";
import { UserError } from "../../profile/userError.ts";
import { gaveUp, isPassing, newOutage } from "./outage.ts";

const HOUR = 3_600_000;

describe("an outage", () => {
  afterEach(() => void vi.restoreAllMocks());

  it("is tried soon at first, then every half minute", () => {
    const outage = newOutage();
    expect(Array.from({ length: 7 }, () => outage.nextPause())).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ]);
    expect(outage.attempts).toBe(7);
  });

  it("is given up after two hours of trying, and not after any time in which nobody tried", () => {
    const outage = newOutage();
    vi.spyOn(performance, "now").mockReturnValue(100 * HOUR);
    vi.spyOn(Date, "now").mockReturnValue(100 * HOUR);
    expect(outage.over).toBe(false);
    let waited = 0;
    while (!outage.over) waited += outage.nextPause();
    expect(waited / HOUR).toBeGreaterThan(1.9);
    expect(waited / HOUR).toBeLessThan(2.1);
  });

  it("says how often it was tried, and what to do", () => {
    const error = gaveUp(new UserError("connection-refused", "The board refused.", "x"), "Try later.");
    expect(error).toMatchObject({
      code: "reconnect-gave-up",
      message: "The board refused. It was tried 240 times.",
      hint: "Try later.",
    });
  });

  it("does not go on where only a person can help", () => {
    const codes = (...all: string[]): boolean[] => all.map((code) => isPassing(new UserError(code, "m", "h")));
    expect(
      codes("auth-failed", "host-key-changed", "host-key-unknown", "known-hosts-unreadable", "ssh-config"),
    ).toEqual(Array(5).fill(false));
    expect(codes("connection-lost", "handshake-failed", "host-not-found", "connect-timeout", "helper-failed")).toEqual(
      Array(5).fill(true),
    );
    expect(isPassing(new Error("not foreseen"))).toBe(false);
  });
});
