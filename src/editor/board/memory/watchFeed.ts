/** The records of a board that is watched: kept for a page that is opened again, and passed on as they come. */
import type { BoardIdentity } from "../../../profile/model.ts";
import type { UserError } from "../../../profile/userError.ts";
import type { ToMemoryPage } from "../../../protocol/board/memory.ts";
import type { WatchEvent, WatchHandle } from "../../../protocol/run/run.ts";
import { t } from "../../../words/t.ts";
import { messageOf } from "../../report/asUserError.ts";
import { type MemoryFeed, recordMessages } from "./memoryFeed.ts";

export interface WatchFeed extends MemoryFeed {
  /** Never rejects; undefined where `stop` ended it. */
  readonly done: Promise<UserError | undefined>;
  hasRecords(): boolean;
  stop(): void;
}

/** Characters of records that are kept: some 18 hours at one a second. */
const MOST_KEPT = 64 * 1024 * 1024;

/**
 * @param about what the user calls the board, and what is simulated where the target itself says so
 * @param watch begins the watching
 * @param describe the board in a line; undefined where it says nothing of itself
 */
export function createWatchFeed(
  about: { readonly title: string; readonly simulated?: string },
  watch: (onEvent: (event: WatchEvent) => void) => WatchHandle,
  describe: (board: BoardIdentity) => string | undefined,
  mostKept = MOST_KEPT,
): WatchFeed {
  const listeners = new Set<(message: ToMemoryPage) => void>();
  const lines: string[] = [];
  let kept = 0;
  let start: ToMemoryPage = { kind: "start", ...about, source: "watch" };
  /** What there is to say where no records come. */
  let pause: ToMemoryPage | undefined = { kind: "waiting", message: t("Connecting to {0}…", about.title) };

  const tell = (message: ToMemoryPage): void => {
    for (const send of listeners) send(message);
  };
  const take = (line: string): void => {
    lines.push(line);
    kept += line.length;
    pause = undefined;
    for (const message of recordMessages([line])) tell(message);
    if (kept > mostKept) handle.stop();
  };
  const handle = watch((event) => {
    switch (event.kind) {
      case "connected": {
        const board = describe(event.board);
        const { simulated } = event.board;
        start = { ...start, ...(board && { board }), ...(simulated && { simulated }) };
        tell(start);
        break;
      }
      case "record":
        take(event.line);
        break;
      case "reconnecting":
        pause = {
          kind: "waiting",
          message: t("{0} Trying again in {1} s.", event.reason, Math.round(event.delayMs / 1000)),
        };
        tell(pause);
        break;
      case "warning":
        break;
    }
  });
  const done = handle.done.then((error) => {
    pause = ending(error, lines.length > 0, kept > mostKept);
    tell(pause);
    return error;
  });
  return {
    done,
    hasRecords: () => lines.length > 0,
    stop: () => handle.stop(),
    listen(send) {
      send(start);
      for (const message of recordMessages(lines)) send(message);
      if (pause !== undefined) send(pause);
      listeners.add(send);
      return { dispose: () => listeners.delete(send) };
    },
  };
}

function ending(error: UserError | undefined, hasRecords: boolean, full: boolean): ToMemoryPage {
  if (full)
    return { kind: "ended", message: t("The watch was ended: no more records can be kept. Watch the board again.") };
  if (error === undefined) return { kind: "ended" };
  const message = messageOf(error);
  return hasRecords ? { kind: "ended", message } : { kind: "unavailable", message };
}
