import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createQuietRefresh } from "./quietRefresh.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("refreshes once for several requests", () => {
  const fire = vi.fn();
  const { request } = createQuietRefresh(fire);
  request();
  request();
  vi.advanceTimersByTime(200);
  expect(fire).toHaveBeenCalledTimes(1);
});

it("waits for every open question, and then a little", async () => {
  const fire = vi.fn();
  const refresh = createQuietRefresh(fire);
  const ends: (() => void)[] = [];
  const answers = [1, 2].map(() => refresh.answer(() => new Promise<void>((resolve) => ends.push(resolve))));
  refresh.request();
  await vi.advanceTimersByTimeAsync(1000);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(1000);
  expect(fire).not.toHaveBeenCalled();
  ends[1]?.();
  await Promise.all(answers);
  expect(fire).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(100);
  expect(fire).toHaveBeenCalledTimes(1);
});

it("goes on after a question that failed, and refreshes nothing unasked", async () => {
  const fire = vi.fn();
  const refresh = createQuietRefresh(fire);
  await expect(refresh.answer(() => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  await vi.advanceTimersByTimeAsync(100);
  expect(fire).not.toHaveBeenCalled();
  refresh.request();
  await vi.advanceTimersByTimeAsync(100);
  expect(fire).toHaveBeenCalledTimes(1);
});
