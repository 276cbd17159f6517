import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { coalesced } from "./coalesced.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("runs once for many calls, again for later ones, and not after cancel", () => {
  const body = vi.fn();
  const { call, cancel } = coalesced(100, body);
  for (let i = 0; i < 25; i++) {
    call();
    vi.advanceTimersByTime(10);
  }
  expect(body).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(100);
  expect(body).toHaveBeenCalledTimes(3);
  call();
  cancel();
  vi.advanceTimersByTime(1000);
  expect(body).toHaveBeenCalledTimes(3);
});
