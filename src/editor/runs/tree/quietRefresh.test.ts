import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createQuietRefresh } from "./quietRefresh.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const atOnce = async (): Promise<undefined> => undefined;

it("refreshes once for several requests", async () => {
  const fire = vi.fn();
  const { request } = createQuietRefresh(atOnce, fire);
  request();
  request();
  await vi.advanceTimersByTimeAsync(200);
  expect(fire).toHaveBeenCalledTimes(1);
});

it("waits for every open question, and then a little", async () => {
  const fire = vi.fn();
  const refresh = createQuietRefresh(atOnce, fire);
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
  const refresh = createQuietRefresh(atOnce, fire);
  await expect(refresh.answer(() => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  await vi.advanceTimersByTimeAsync(100);
  expect(fire).not.toHaveBeenCalled();
  refresh.request();
  await vi.advanceTimersByTimeAsync(100);
  expect(fire).toHaveBeenCalledTimes(1);
});

it("does not refresh over a question that came while the refresh was prepared", async () => {
  const fire = vi.fn();
  const prepared: ((what: string) => void)[] = [];
  const refresh = createQuietRefresh(() => new Promise<string>((resolve) => prepared.push(resolve)), fire);
  refresh.request();
  await vi.advanceTimersByTimeAsync(100);
  let end = (): void => undefined;
  const answer = refresh.answer(
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  prepared[0]?.("old");
  await vi.advanceTimersByTimeAsync(1000);
  expect(fire).not.toHaveBeenCalled();
  end();
  await answer;
  await vi.advanceTimersByTimeAsync(100);
  prepared[1]?.("new");
  await vi.advanceTimersByTimeAsync(100);
  expect(fire.mock.calls).toEqual([["new"]]);
});

it("refreshes with what is prepared however often it is requested meanwhile, and once more after that", async () => {
  const fire = vi.fn();
  const prepared: ((what: number) => void)[] = [];
  const refresh = createQuietRefresh(() => new Promise<number>((resolve) => prepared.push(resolve)), fire);
  refresh.request();
  for (let i = 0; i < 10; i++) {
    await vi.advanceTimersByTimeAsync(100);
    refresh.request();
  }
  expect(prepared).toHaveLength(1);
  prepared[0]?.(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(fire.mock.calls).toEqual([[1]]);
  prepared[1]?.(2);
  await vi.advanceTimersByTimeAsync(1000);
  expect(fire.mock.calls).toEqual([[1], [2]]);
  expect(prepared).toHaveLength(2);
});

it("refreshes where something is new, and where it is asked to show all anew", async () => {
  const fire = vi.fn();
  let known = true;
  const refresh = createQuietRefresh(atOnce, fire, () => known);
  const times = async (): Promise<number> => {
    await vi.advanceTimersByTimeAsync(100);
    return fire.mock.calls.length;
  };
  refresh.requestIfNew();
  expect(await times()).toBe(0);
  refresh.request();
  refresh.requestIfNew();
  expect(await times()).toBe(1);
  refresh.requestIfNew();
  expect(await times()).toBe(1);
  known = false;
  refresh.requestIfNew();
  expect(await times()).toBe(2);
});
