/** One line at the bottom of a terminal that is written over again and again, between whole lines of output. */
import { printable } from "../../profile/text/text.ts";
import type { Output } from "./output.ts";

export interface StatusLine {
  show(text: string): void;
  clear(): void;
  /** Other output goes to the same terminal: the line makes way, and waits while that output is within a line. */
  around(data: Uint8Array, write: () => void): void;
}

const ERASE = "\r\u001b[K";
const NEWLINE = 10;

export const noStatusLine: StatusLine = { show: () => {}, clear: () => {}, around: (_, write) => write() };

/** @param output a terminal */
export function createStatusLine(output: Output, intervalMs = 100): StatusLine {
  let visible = false;
  let atLineStart = true;
  let shownAt = Number.NEGATIVE_INFINITY;

  function clear(): void {
    if (visible) output.write(ERASE);
    visible = false;
  }

  return {
    show(text) {
      const now = performance.now();
      if (!atLineStart || now - shownAt < intervalMs) return;
      shownAt = now;
      visible = true;
      // A line that wraps could not be erased.
      output.write(`${ERASE}${[...printable(text)].slice(0, Math.max(1, output.columns - 1)).join("")}`);
    },
    clear,
    around(data, write) {
      if (data.length === 0) return;
      clear();
      write();
      atLineStart = data[data.length - 1] === NEWLINE;
    },
  };
}
