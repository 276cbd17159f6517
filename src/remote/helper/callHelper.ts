/** One command of the helper: a JSON line there, a JSON line back (docs/board-protocol.md). */

import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import * as v from "valibot";
import { printableLines } from "../../profile/text.ts";
import { UserError } from "../../profile/userError.ts";
import { type Connection, lossOf, type RemoteProcess } from "../transport/transport.ts";
import { type ByteReader, createByteReader, StreamFault } from "./byteReader.ts";
import { errorReply } from "./wire.ts";

/** A plan over 200,000 files fits; a board that sends more than this in one line is not ours. */
const REPLY_LIMIT = 64 * 1024 * 1024;
const STDERR_KEPT = 4096;

export interface HelperCall<T> {
  /** For messages: what was being done, as in "while …". */
  readonly purpose: string;
  readonly argv: readonly string[];
  readonly request: unknown;
  readonly reply: v.GenericSchema<unknown, T>;
  readonly signal: AbortSignal;
  /** Milliseconds for the whole call; undefined: as long as it takes. */
  readonly limit?: number;
  /** What follows the request on standard input. */
  readonly body?: (stdin: Writable) => Promise<void>;
}

/** Rejects with a `UserError` (the helper's own words where it had any) or with `signal.reason`. */
export async function callHelper<T>(connection: Connection, call: HelperCall<T>): Promise<T> {
  const process = await execUntil(connection, call.argv, call.signal);
  const stderr = collectTail(process);
  const ended = new AbortController();
  try {
    const reply = readReply(createByteReader(process.stdout), call, connection.name, process, stderr);
    // What was read is judged even where sending failed: the helper's reason is better than "broken pipe".
    const sent = send(process.stdin, call).then(() => reply);
    const racers: Promise<T>[] = [reply, sent, rejectOnAbort(call.signal, ended.signal)];
    if (call.limit !== undefined) racers.push(rejectAfter(call.limit, connection.name, call.purpose, ended.signal));
    for (const racer of racers) racer.catch(() => {});
    return await Promise.race(racers);
  } catch (error) {
    process.kill();
    // Whatever is still being sent ends here.
    process.stdin.destroy();
    // The transport knows better than the stream why it ended.
    throw (error instanceof UserError && error.code === "helper-failed" && (await lossOf(connection))) || error;
  } finally {
    ended.abort();
  }
}

async function send<T>(stdin: Writable, call: HelperCall<T>): Promise<void> {
  try {
    await write(stdin, `${JSON.stringify(call.request)}\n`);
    await call.body?.(stdin);
  } catch (error) {
    if (!(error instanceof PipeClosed)) throw error;
  }
  stdin.end();
}

class PipeClosed extends Error {
  constructor() {
    super("the other side no longer reads");
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

async function readReply<T>(
  reader: ByteReader,
  call: HelperCall<T>,
  boardName: string,
  process: RemoteProcess,
  stderr: () => string,
): Promise<T> {
  let line: string | undefined;
  try {
    line = await reader.line(REPLY_LIMIT);
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (error instanceof StreamFault && error.kind === "too-long")
      throw badReply(boardName, call.purpose, error.message);
    throw endedEarly(boardName, call.purpose, stderr(), undefined);
  }
  if (line === undefined) {
    const status = await process.exit;
    throw endedEarly(boardName, call.purpose, stderr(), status.code);
  }
  const value = parseJson(line);
  const failed = v.safeParse(errorReply, value);
  if (failed.success) throw fromBoard(failed.output.error);
  const parsed = v.safeParse(call.reply, value);
  if (!parsed.success) throw badReply(boardName, call.purpose, describe(line, parsed.issues[0]));
  return parsed.output;
}

/** undefined where the text is not JSON (which no schema of ours accepts). */
export function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** An error in the helper's own words. */
export function fromBoard(error: v.InferOutput<typeof errorReply>["error"]): UserError {
  const hint = error.hint == null ? undefined : printableLines(error.hint);
  return new UserError(printableLines(error.code), printableLines(error.message), hint);
}

export function badReply(boardName: string, purpose: string, detail: string): UserError {
  return new UserError(
    "bad-reply",
    `${boardName} sent something that cannot be understood while ${purpose}: ${detail}`,
    "Update the extension. If it stays, delete ~/.jetson-memprof/helper on the board and try again.",
  );
}

export function endedEarly(boardName: string, purpose: string, stderr: string, code: number | undefined): UserError {
  const last = printableLines(stderr).trim().split("\n").slice(-3).join(" | ");
  const how = code === undefined ? "the connection or the program broke off" : `it ended with exit code ${code}`;
  return new UserError(
    "helper-failed",
    `The helper on ${boardName} gave no answer while ${purpose}: ${how}${last === "" ? "." : `; it said: ${last}`}`,
    "Check that the board is up and has free memory and disk space, then try again.",
  );
}

function describe(line: string, issue: v.BaseIssue<unknown> | undefined): string {
  const path = issue?.path?.map((item) => String(item.key)).join(".") ?? "";
  const shown = printableLines(line).slice(0, 160);
  return path === "" ? shown : `${path} is wrong in ${shown}`;
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
  } finally {
    ended.abort();
  }
}

export async function rejectAfter(
  limit: number,
  boardName: string,
  purpose: string,
  ended: AbortSignal,
): Promise<never> {
  await delay(limit, undefined, { signal: ended });
  throw new UserError(
    "helper-timeout",
    `${boardName} did not answer within ${Math.round(limit / 1000)} s while ${purpose}.`,
    "Check that the board is not stuck (out of memory, disk or network storage), then try again.",
  );
}
