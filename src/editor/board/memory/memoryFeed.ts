/** Where the memory page and the status bar get a board's records from: a run's folder, or a board that is watched. */
import { MAX_RECORDS, type ToMemoryPage } from "../../../protocol/board/memory.ts";

export interface MemoryFeed {
  /**
   * Sends what the page is told: `start`, all records so far, then what comes, until the listener is disposed. After
   * another `start` what came before no longer counts.
   */
  listen(send: (message: ToMemoryPage) => void): Listening;
}

export interface Listening {
  dispose(): void;
}

/** The page takes no longer line. */
const LONGEST_LINE = 1_000_000;

export function recordMessages(lines: readonly string[]): ToMemoryPage[] {
  const taken = lines.filter(({ length }) => length <= LONGEST_LINE);
  const messages: ToMemoryPage[] = [];
  for (let at = 0; at < taken.length; at += MAX_RECORDS) {
    messages.push({ kind: "records", lines: taken.slice(at, at + MAX_RECORDS) });
  }
  return messages;
}
