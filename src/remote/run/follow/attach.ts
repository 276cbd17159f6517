/** Following one run over one connection: frames into the mirror, events out, input in. */

import { setImmediate as breathe } from "node:timers/promises";
import * as v from "valibot";
import { printableLines } from "../../../profile/text/text.ts";
import { UserError } from "../../../profile/userError.ts";
import type { RunEvent } from "../../../protocol/run/run.ts";
import { phrase, say, t } from "../../../words/t.ts";
import { type ByteReader, createByteReader, StreamFault } from "../../helper/byteReader.ts";
import { badReply, endedEarly, fromBoard, parseJson } from "../../helper/callHelper.ts";
import { collectTail, execUntil, rejectOnAbort, write } from "../../helper/talk.ts";
import { type AttachFrame, attachFrame, errorReply } from "../../helper/wire.ts";
import type { BoardSession } from "../../session/session.ts";
import type { RemoteProcess } from "../../transport/transport.ts";
import { type Mirror, MirrorFault } from "../mirror/mirror.ts";
import type { ProgressReader } from "../mirror/progress.ts";
import { unpacked } from "../mirror/unpack.ts";
import type { InputQueue } from "./input.ts";

export interface AttachTask {
  /** The folder on the board below which the run lies. */
  readonly root: string;
  readonly runId: string;
  readonly mirror: Mirror;
  readonly progress: ProgressReader;
  readonly input: InputQueue;
  /** Ends once all that there is now is here. */
  readonly once?: boolean;
  readonly emit: (event: RunEvent) => void;
}

/** `lost`: the helper on the board died. `running`: the run goes on, only where `once` was asked for. */
export type AttachEnd = "finished" | "lost" | "running";

/** The stream of frames broke off; the run may well go on, and can be followed again. */
export class AttachLost extends Error {
  readonly error: UserError;
  /** Input was sent so shortly before that nobody knows whether it got there. */
  readonly inputAtRisk: boolean;

  constructor(error: UserError, inputAtRisk: boolean) {
    super(error.message, { cause: error });
    this.name = "AttachLost";
    this.error = error;
    this.inputAtRisk = inputAtRisk;
  }
}

const HEADER_LIMIT = 64 * 1024;
/** `alive` comes every 2 s; a board that swaps its way through a training step may miss many of them. */
const SILENCE_LIMIT = 60_000;
const PURPOSE = phrase("the run was followed");

/**
 * Resolves when the run has ended and all of it is here; `onHeard` is told once, at the first frame. Rejects with `AttachLost` where the connection went, with a
 * `UserError` for what trying again cannot mend, with `signal.reason` when aborted.
 */
export async function attach(
  session: BoardSession,
  task: AttachTask,
  signal: AbortSignal,
  onHeard: () => void = () => {},
): Promise<AttachEnd> {
  const { connection, helper } = session;
  let process: RemoteProcess;
  try {
    process = await execUntil(connection, helper.argv("attach"), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof UserError ? new AttachLost(error, false) : error;
  }
  const stderr = collectTail(process);
  const over = new AbortController();
  let wasHeard = false;
  let inputSent = Number.NEGATIVE_INFINITY;
  let onSilence = (): void => {};
  const silent = new Promise<never>((_, reject) => {
    onSilence = () => reject(new StreamFault("torn", t("nothing was heard for a minute")));
  });
  const silence = setTimeout(onSilence, SILENCE_LIMIT);
  let frames: Promise<AttachEnd> | undefined;
  try {
    await write(
      process.stdin,
      `${JSON.stringify({ root: task.root, id: task.runId, have: task.mirror.have(), once: task.once === true })}\n`,
    );
    void passInput(process, task.input, over.signal, (at) => {
      inputSent = at;
    });
    const heard = (): void => {
      if (!wasHeard) onHeard();
      wasHeard = true;
      silence.refresh();
    };
    frames = readFrames(createByteReader(until(process.stdout, over.signal)), task, connection.name, heard);
    return await Promise.race([frames, silent, rejectOnAbort(signal, over.signal)]);
  } catch (error) {
    signal.throwIfAborted();
    // The shell has run commands before: a board that goes down may still take one, and closes the channel without it.
    if (error instanceof UserError) throw error.code === "no-shell" ? new AttachLost(error, false) : error;
    if (error instanceof MirrorFault || (error instanceof StreamFault && error.kind === "too-long")) {
      throw badReply(connection.name, say(PURPOSE), error.message);
    }
    // A dead link is found within this time.
    const inputAtRisk = performance.now() - inputSent < SILENCE_LIMIT;
    throw new AttachLost(endedEarly(connection.name, say(PURPOSE), stderr(), undefined), inputAtRisk);
  } finally {
    over.abort();
    process.kill();
    // Nothing is written any more when the caller closes the mirror or follows the run over another connection.
    await frames?.catch(() => {});
    clearTimeout(silence);
  }
}

/** What `source` gives until `over` aborts; a stream that was told to end may still hold data. */
function until(source: AsyncIterable<Buffer>, over: AbortSignal): AsyncIterable<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const next = (): Promise<IteratorResult<Buffer>> =>
    new Promise((resolve, reject) => {
      const stop = (): void => reject(new StreamFault("torn", t("the run is no longer followed")));
      if (over.aborted) return stop();
      over.addEventListener("abort", stop, { once: true });
      chunks
        .next()
        .then(resolve, reject)
        .finally(() => over.removeEventListener("abort", stop));
    });
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

async function readFrames(
  reader: ByteReader,
  task: AttachTask,
  boardName: string,
  heard: () => void,
): Promise<AttachEnd> {
  for (;;) {
    const line = await reader.line(HEADER_LIMIT);
    if (line === undefined) throw new StreamFault("torn", t("the output ends before the run does"));
    const value = parseJson(line);
    const failed = v.safeParse(errorReply, value);
    if (failed.success) throw fromBoard(failed.output.error);
    const parsed = v.safeParse(attachFrame, value);
    if (!parsed.success) throw badReply(boardName, say(PURPOSE), printableLines(line).slice(0, 160));
    heard();
    if (parsed.output.frame === "end") {
      if (parsed.output.state !== "running" || task.once === true) return parsed.output.state;
      throw badReply(boardName, say(PURPOSE), printableLines(line).slice(0, 160));
    }
    await takeFrame(parsed.output, reader, task, heard);
  }
}

async function takeFrame(
  frame: Exclude<AttachFrame, { frame: "end" }>,
  reader: ByteReader,
  task: AttachTask,
  heard: () => void,
): Promise<void> {
  switch (frame.frame) {
    case "alive":
      return;
    case "replace": {
      const data = hearing(reader.bytes(frame.length), heard);
      return frame.encoding === "gzip"
        ? task.mirror.replace(frame.file, frame.size, unpacked(data, frame.size))
        : task.mirror.replace(frame.file, frame.length, data);
    }
    case "append":
      await task.mirror.append(frame.file, frame.offset, reader.bytes(frame.length), (piece) => {
        heard();
        tell(frame.file, piece, task);
      });
      // Whoever shows the output gets its turn before more of it is read.
      await breathe();
  }
}

async function* hearing(data: AsyncIterable<Buffer>, heard: () => void): AsyncGenerator<Buffer> {
  for await (const piece of data) {
    heard();
    yield piece;
  }
}

function tell(file: string, piece: Buffer, task: AttachTask): void {
  if (file === "stdout.log") task.emit({ kind: "output", stream: "stdout", data: piece });
  else if (file === "stderr.log") task.emit({ kind: "output", stream: "stderr", data: piece });
  else if (file === "samples.jsonl") task.progress.samples(piece);
  else if (file === "lines.jsonl") task.progress.lines(piece);
}

/** Ends quietly with the connection; what was not taken from the queue yet waits for the next one. */
async function passInput(
  process: RemoteProcess,
  input: InputQueue,
  over: AbortSignal,
  onSent: (at: number) => void,
): Promise<void> {
  input.renew();
  for (;;) {
    const next = await input.next(over);
    if (next === undefined) return;
    // What the link does not take yet is at risk however long it has waited.
    if (next.bytes > 0) onSent(Number.POSITIVE_INFINITY);
    try {
      await write(process.stdin, next.line);
      if (next.bytes > 0) onSent(performance.now());
    } catch {
      return;
    }
  }
}
