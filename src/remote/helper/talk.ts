/** A program of ours on the board, asked and answered in lines, with a limit to each answer. */
import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { type Connection, lossOf, type RemoteProcess } from "../transport/transport.ts";
import { type ByteReader, createByteReader } from "./byteReader.ts";

const STDERR_KEPT = 4096;

export interface Talk {
  readonly connection: Connection;
  readonly process: RemoteProcess;
  readonly reader: ByteReader;
  /** The end of what it complained of so far. */
  readonly stderr: () => string;
}

export interface Waiting {
  /** For messages: what was being done, as in "while …". */
  readonly purpose: string;
  readonly signal: AbortSignal;
  /** Milliseconds; undefined: as long as it takes. */
  readonly limit?: number;
}

export async function startTalk(connection: Connection, argv: readonly string[], signal: AbortSignal): Promise<Talk> {
  const process = await execUntil(connection, argv, signal);
  return { connection, process, reader: createByteReader(process.stdout), stderr: collectTail(process) };
}

/** Codes for output that ended too early: a lost connection looks like that too. */
const CUT_SHORT = /^(helper-failed|no-python)$/;

/** What `answer` gives. The program is ended where it fails, comes too late or `signal` aborts. */
export async function answered<T>(
  { connection, process }: Talk,
  { purpose, signal, limit }: Waiting,
  answer: Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  try {
    const racers = [answer, rejectOnAbort(signal, ended.signal)];
    if (limit !== undefined) racers.push(rejectAfter(limit, connection.name, purpose, ended.signal));
    for (const racer of racers) racer.catch(() => {});
    return await Promise.race(racers);
  } catch (error) {
    process.kill();
    // Whatever is still being sent ends here.
    process.stdin.destroy();
    // The transport knows better than the stream why it ended.
    throw (error instanceof UserError && CUT_SHORT.test(error.code) && (await lossOf(connection))) || error;
  } finally {
    ended.abort();
  }
}

/** Nobody reads any more. */
export class PipeClosed extends Error {
  constructor() {
    super(t("the other side no longer reads"));
    this.name = "PipeClosed";
  }
}

/** Writes and waits until there is room for more. Throws `PipeClosed` where nobody reads any more. */
export async function write(stream: Writable, data: string | Uint8Array): Promise<void> {
  if (stream.destroyed || stream.writableEnded || !stream.writable) throw new PipeClosed();
  if (stream.write(data)) return;
  await new Promise<void>((resolve, reject) => {
    const onDrain = (): void => settle(resolve);
    const onClosed = (): void => settle(() => reject(new PipeClosed()));
    function settle(act: () => void): void {
      stream.off("drain", onDrain);
      stream.off("close", onClosed);
      stream.off("error", onClosed);
      act();
    }
    stream.on("drain", onDrain);
    stream.on("close", onClosed);
    stream.on("error", onClosed);
  });
}

export function collectTail(process: RemoteProcess): () => string {
  let tail = Buffer.alloc(0);
  process.stderr.on("data", (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-STDERR_KEPT);
  });
  return () => tail.toString("utf8");
}

/** Rejects with the reason when `signal` aborts; falls silent when `ended` does. */
export function rejectOnAbort(signal: AbortSignal, ended: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { signal: ended });
    if (signal.aborted) reject(signal.reason);
  });
}

/** Starts a program; a board that does not even answer to that cannot hold up a cancel. */
export async function execUntil(
  connection: Connection,
  argv: readonly string[],
  signal: AbortSignal,
): Promise<RemoteProcess> {
  signal.throwIfAborted();
  const ended = new AbortController();
  const starting = connection.exec(argv);
  starting.then(
    (process) => {
      if (signal.aborted) process.kill();
    },
    () => {},
  );
  try {
    return await Promise.race([starting, rejectOnAbort(signal, ended.signal)]);
  } catch (error) {
    // The transport knows better why nothing could be started.
    throw (error instanceof UserError && error.code === "exec-failed" && (await lossOf(connection))) || error;
  } finally {
    ended.abort();
  }
}

async function rejectAfter(limit: number, boardName: string, purpose: string, ended: AbortSignal): Promise<never> {
  await delay(limit, undefined, { signal: ended });
  throw new UserError(
    "helper-timeout",
    t("{0} did not answer within {1} s while {2}.", boardName, Math.round(limit / 1000), purpose),
    t(
      "Check that the board is not stuck (out of memory, disk or network storage) and that no startup file of the login shell there waits for input, then try again.",
    ),
  );
}
