/** One command of the helper: a JSON line there, a JSON line back (docs/board-protocol.md). */
import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import * as v from "valibot";
import { printableLines } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { fromHelper } from "../../words/fromHelper.ts";
import { t } from "../../words/t.ts";
import type { Connection } from "../transport/transport.ts";
import { StreamFault } from "./byteReader.ts";
import { answered, PipeClosed, startTalk, type Talk, type Waiting, write } from "./talk.ts";
import { errorReply } from "./wire.ts";

/** A survey with all of its files fits; a board that sends more than this in one line is not ours. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Milliseconds from the end of a program's output to its own. */
const ENDING = 2_000;

/** What a command is told, and what its answer has to be. */
export interface HelperCall<T> extends Waiting {
  readonly request: unknown;
  readonly reply: v.GenericSchema<unknown, T>;
  /** The longest reply; by default what all but lists of a project's files fit into. */
  readonly mostBytes?: number;
  /** What follows the request on standard input. */
  readonly body?: (stdin: Writable) => Promise<void>;
}

/** A command in a process of its own. */
export interface HelperCommand<T> extends HelperCall<T> {
  readonly argv: readonly string[];
}

/** Rejects with a `UserError` (the helper's own words where it had any) or with `signal.reason`. */
export async function callHelper<T>(connection: Connection, call: HelperCommand<T>): Promise<T> {
  const talk = await startTalk(connection, call.argv, call.signal);
  const { stdin } = talk.process;
  return await exchange(talk, call, async () => {
    await send(stdin, call.request, call.body);
    stdin.end();
  });
}

/** The reply that is read once `turn` has come; what was read is judged even where sending failed: the helper's reason is better than "broken pipe". */
export async function exchange<T>(
  talk: Talk,
  call: HelperCall<T>,
  sending: () => Promise<void>,
  turn?: Promise<unknown>,
): Promise<T> {
  const reply = (async () => {
    await turn;
    return await readReply(talk, call);
  })();
  reply.catch(() => {});
  return await answered(talk, call, Promise.race([reply, sending().then(() => reply)]));
}

/** Ends quietly where nobody reads any more: the reply says why. */
export async function send(stdin: Writable, line: unknown, body: HelperCall<never>["body"]): Promise<void> {
  try {
    await write(stdin, `${JSON.stringify(line)}\n`);
    await body?.(stdin);
  } catch (error) {
    if (!(error instanceof PipeClosed)) throw error;
  }
}

async function readReply<T>(talk: Talk, call: HelperCall<T>): Promise<T> {
  return judged(await readLine(talk, call.purpose, call.mostBytes), talk.connection.name, call);
}

/** Rejects with a `UserError` where there is none. */
export async function readLine(talk: Talk, purpose: string, mostBytes = MOST_BYTES): Promise<string> {
  const { name } = talk.connection;
  let line: string | undefined;
  try {
    line = await talk.reader.line(mostBytes);
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (error instanceof StreamFault && error.kind === "too-long") throw badReply(name, purpose, error.message);
    throw endedEarly(name, purpose, talk.stderr(), undefined);
  }
  if (line !== undefined) return line;
  throw await ended(talk, purpose);
}

/** Of a program whose output is over: what it complained of and how it ended may come after. */
export async function ended({ connection, process, stderr }: Talk, purpose: string): Promise<UserError> {
  // One that keeps on running has nothing to say all the same.
  const status = await Promise.race([process.exit, delay(ENDING, undefined, { ref: false })]);
  return endedEarly(connection.name, purpose, stderr(), status?.code);
}

/** What a line says where it is the reply that was asked for. */
export function judged<T>(
  line: string,
  boardName: string,
  { purpose, reply }: Pick<HelperCall<T>, "purpose" | "reply">,
): T {
  const value = parseJson(line);
  const failed = v.safeParse(errorReply, value);
  if (failed.success) throw fromBoard(failed.output.error);
  const parsed = v.safeParse(reply, value);
  if (!parsed.success) throw badReply(boardName, purpose, describe(line, parsed.issues[0]));
  return parsed.output;
}

/** A refusal is for a person to read. */
const MOST_WORDS = 2_000;

/** undefined where the text is not JSON (which no schema of ours accepts). */
export function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** An error in the helper's own words, in the language of this program. */
export function fromBoard(error: v.InferOutput<typeof errorReply>["error"]): UserError {
  const said = (text: string): string => printableLines(fromHelper(text)).slice(0, MOST_WORDS);
  // That code is for what was typed here: the command line's exit status says so.
  const code = error.code === "usage" ? "board-error" : error.code;
  return new UserError(code, said(error.message), error.hint == null ? undefined : said(error.hint));
}

export function badReply(boardName: string, purpose: string, detail: string): UserError {
  return new UserError(
    "bad-reply",
    t("{0} sent something that cannot be understood while {1}: {2}", boardName, purpose, detail),
    t("Update the extension. If it stays, delete ~/.jetson-memprof/helper on the board and try again."),
  );
}

export function endedEarly(boardName: string, purpose: string, stderr: string, code: number | undefined): UserError {
  const last = printableLines(stderr).trim().split("\n").slice(-3).join(" | ").slice(-MOST_WORDS);
  const how =
    code === undefined ? t("the connection or the program broke off") : t("it ended with exit code {0}", code);
  const what = t("The helper on {0} gave no answer while {1}: {2}", boardName, purpose, how);
  return new UserError(
    "helper-failed",
    last === "" ? t("{0}.", what) : t("{0}; it said: {1}", what, last),
    t("Check that the board is up and has free memory and disk space, then try again."),
  );
}

function describe(line: string, issue: v.BaseIssue<unknown> | undefined): string {
  // The board chose its keys as well.
  const path = printableLines(issue?.path?.map((item) => String(item.key)).join(".") ?? "").slice(0, 80);
  const shown = printableLines(line).slice(0, 160);
  return path === "" ? shown : t("{0} is wrong in {1}", path, shown);
}
