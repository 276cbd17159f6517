import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createOutputThrottle } from "./outputThrottle.ts";

function screen(limit: number) {
  let text = "";
  const throttle = createOutputThrottle(limit, (part) => {
    text += part;
  });
  return { throttle, text: () => text };
}

describe("output throttle", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("shows output at once, with line ends for a terminal", () => {
    const { throttle, text } = screen(100);
    throttle.push("stdout", Buffer.from("a\nb\r\n"));
    expect(text()).toBe("a\r\nb\r\n");
  });

  it("joins a character that arrives in two parts, for each stream by itself", () => {
    const { throttle, text } = screen(100);
    const bytes = Buffer.from("é");
    throttle.push("stdout", bytes.subarray(0, 1));
    throttle.push("stderr", Buffer.from("!"));
    throttle.push("stdout", bytes.subarray(1));
    expect(text()).toBe("!é");
  });

  it("cuts at a line's end, says how much was left out, and goes on in the next second", () => {
    const { throttle, text } = screen(10);
    throttle.push("stdout", Buffer.from("12345\n789abcdef\n"));
    throttle.push("stderr", Buffer.from("x".repeat(2048)));
    expect(text()).toBe("12345\r\n");
    vi.advanceTimersByTime(1000);
    expect(text()).toContain("10 B of stdout came too fast to show here; the run folder's stdout.log has it");
    expect(text()).toContain("2 KiB of stderr");
    throttle.push("stdout", Buffer.from("again\n"));
    expect(text().endsWith("again\r\n")).toBe(true);
  });

  it("shows nothing more when the limit was met exactly", () => {
    const { throttle, text } = screen(4);
    throttle.push("stdout", Buffer.from("abc\n"));
    throttle.push("stdout", Buffer.from("def\n"));
    expect(text()).toBe("abc\r\n");
  });

  it("shows at most the limit of a flood of 100 MB, second by second", () => {
    const limit = 1024 * 1024;
    const { throttle, text } = screen(limit);
    const block = Buffer.from(`${"y".repeat(999)}\n`.repeat(64));
    for (let sent = 0; sent < 100e6; sent += block.length) {
      throttle.push("stdout", block);
      vi.advanceTimersByTime(1);
    }
    throttle.end();
    const seconds = Math.ceil(100e6 / block.length / 1000) + 1;
    expect(text().length).toBeLessThan(seconds * (limit * 1.01 + 200));
    expect(text()).toMatch(/MiB of stdout came too fast/);
  });

  it("says at the end what is still unsaid", () => {
    const { throttle, text } = screen(4);
    throttle.push("stdout", Buffer.from("abcdefgh"));
    throttle.end();
    expect(text()).toMatch(/^abcd.*4 B of stdout/su);
  });
});
