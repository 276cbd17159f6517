/** Watching a board's memory with no script to run: the records of moments.jsonl as they are taken there. */
import { setTimeout as delay } from "node:timers/promises";
import * as v from "valibot";
import { printableLines } from "../profile/text/text.ts";
import { UserError } from "../profile/userError.ts";
import type { Prompter, WatchEvent, WatchHandle, WatchRequest } from "../protocol/run/run.ts";
import { phrase, say, t } from "../words/t.ts";
import { createByteReader, StreamFault } from "./helper/byteReader.ts";
import { badReply, fromBoard, parseJson } from "./helper/callHelper.ts";
import { collectTail, execUntil, write } from "./helper/talk.ts";
import { boardSchema, errorReply } from "./helper/wire.ts";
import { asUserError } from "./run/outcome.ts";
import {
  askBoard,
  type BoardSession,
  connectBoard,
  prepareBoard,
  reopenBoard,
  type SessionDependencies,
  sessionDependencies,
} from "./session/session.ts";
import type { OpenTarget } from "./transport/openTarget.ts";
import { gaveUp, isPassing, newOutage, type Outage } from "./transport/outage.ts";
import { type Connection, lossOf, type RemoteProcess } from "./transport/transport.ts";

export interface WatchDependencies {
  readonly prompter: Prompter;
  /** The folder with bootstrap.py and board.py. */
  readonly helperFolder: string;
  readonly onEvent: (event: WatchEvent) => void;
}

/** Bytes of one record: some thousand processes. */
const RECORD_LIMIT = 1_000_000;
/** A board that swaps may miss many readings; with nothing for this long after one was due, it is lost. */
const SILENCE_LIMIT = 60_000;
const PURPOSE = phrase("its memory was watched");

/** `open` is how targets are reached; tests put a way in between that breaks when they say so. */
export function watchBoard(request: WatchRequest, deps: WatchDependencies, open?: OpenTarget): WatchHandle {
  const stop = new AbortController();
  const settle = async (): Promise<UserError | undefined> => {
    try {
      return await watch(request, deps, sessionDependencies(deps, open), stop.signal);
    } catch (error) {
      return stop.signal.aborted ? undefined : asUserError(error);
    }
  };
  return { done: settle(), stop: () => stop.abort() };
}

/** Never resolves: rejects with a `UserError` where watching cannot go on, or with `signal.reason`. */
async function watch(
  request: WatchRequest,
  { onEvent }: WatchDependencies,
  deps: SessionDependencies,
  signal: AbortSignal,
): Promise<never> {
  const place = { target: request.target, python: request.python, boardFolder: request.boardFolder };
  const first = await connectBoard(request.target, deps, signal);
  let session = await prepareBoard(first, place, deps, signal);
  const { helper } = session;
  let outage: Outage | undefined;
  try {
    onEvent({ kind: "connected", board: v.parse(boardSchema, (await askBoard(session, signal)).board) });
    session.serving?.end();
    for (;;) {
      const { heard, reason } = await passRecords(session, request.intervalMs, onEvent, signal);
      session.connection.close();
      // A connection over which no record came belongs to the same outage.
      if (outage === undefined || heard) outage = newOutage();
      session = {
        helper,
        connection: await reconnect((stop) => reopenBoard(place, helper, deps, stop), onEvent, outage, reason, signal),
      };
    }
  } finally {
    session.connection.close();
  }
}

async function reconnect(
  reopen: (signal: AbortSignal) => Promise<Connection>,
  onEvent: WatchDependencies["onEvent"],
  outage: Outage,
  reason: UserError,
  signal: AbortSignal,
): Promise<Connection> {
  let last = reason;
  while (!outage.over) {
    const delayMs = outage.nextPause();
    onEvent({ kind: "reconnecting", attempt: outage.attempts, delayMs, reason: last.message });
    await delay(delayMs, undefined, { signal });
    try {
      return await reopen(signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isPassing(error)) throw error;
      last = error;
    }
  }
  throw gaveUp(last, t("Watch the board again when it can be reached."));
}

interface Loss {
  /** A record had come before. */
  readonly heard: boolean;
  readonly reason: UserError;
}

/** Resolves when the records ended by themselves; rejects with what trying again cannot mend, or `signal.reason`. */
async function passRecords(
  { connection, helper }: BoardSession,
  intervalMs: number,
  onEvent: WatchDependencies["onEvent"],
  signal: AbortSignal,
): Promise<Loss> {
  let process: RemoteProcess;
  try {
    process = await execUntil(connection, helper.argv("watch"), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!isPassing(error)) throw error;
    return { heard: false, reason: error };
  }
  const stderr = collectTail(process);
  let heard = false;
  let silent = false;
  const end = (): void => {
    // The helper ends with its standard input; the rest is for one that does not answer any more.
    process.stdin.end();
    process.kill();
    process.stdout.destroy();
  };
  const silence = setTimeout(() => {
    silent = true;
    end();
  }, SILENCE_LIMIT + intervalMs);
  signal.addEventListener("abort", end);
  try {
    await write(process.stdin, `${JSON.stringify({ interval_ms: intervalMs })}\n`);
    const reader = createByteReader(process.stdout);
    for (let line = await reader.line(RECORD_LIMIT); line !== undefined; line = await reader.line(RECORD_LIMIT)) {
      const failed = v.safeParse(errorReply, parseJson(line));
      if (failed.success) throw fromBoard(failed.output.error);
      silence.refresh();
      heard = true;
      onEvent({ kind: "record", line });
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (error instanceof StreamFault && error.kind === "too-long") {
      throw badReply(connection.name, say(PURPOSE), error.message);
    }
    // Any other error is the stream's, which ended; why is asked below.
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", end);
    end();
  }
  signal.throwIfAborted();
  return { heard, reason: (await lossOf(connection)) ?? samplerEnded(connection.name, silent, stderr()) };
}

function samplerEnded(boardName: string, silent: boolean, stderr: string): UserError {
  const said = printableLines(stderr).trim().split("\n").slice(-1)[0] ?? "";
  const what = silent
    ? t("The memory reader on {0} has sent nothing for a minute", boardName)
    : t("The memory reader on {0} ended by itself", boardName);
  return new UserError(
    "sampler-ended",
    said === "" ? t("{0}.", what) : t("{0}; it said: {1}", what, said),
    t("Check that the board has free memory, then watch it again."),
  );
}
