/** One command of Check Board on the board. What it prints comes as it is printed; it has nothing to read. */
import { randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import { defined } from "../../profile/defined.ts";
import { UserError } from "../../profile/userError.ts";
import type { Prompter, TargetAddress } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import { execUntil, rejectOnAbort, write } from "../helper/talk.ts";
import { concealing } from "../secrets.ts";
import { type OpenTarget, openTarget } from "../transport/openTarget.ts";
import { type Connection, type ExitStatus, emptyMemory, lossOf } from "../transport/transport.ts";
import { withoutPrompts } from "./sudoPrompt.ts";

export interface CommandRequest {
  readonly target: TargetAddress;
  /** A line for `sh`; `sudo` may stand at its beginning, and nowhere else. */
  readonly command: string;
}

export interface CommandDependencies {
  readonly prompter: Prompter;
  readonly onOutput: (stream: "stdout" | "stderr", data: Uint8Array) => void;
  readonly open?: OpenTarget;
  /** Milliseconds; for a slow card and a slow network by default. */
  readonly limit?: number;
}

const LIMIT = 30 * 60_000;
const ATTEMPTS = 3;

/**
 * Sudo is first tried without a password. Where it asks for one, the person is asked, and it goes to sudo's standard
 * input, never into a command line.
 *
 * Rejects with a `UserError` (`sudo-password` where none was given or none was right: then nothing was run) or with
 * `signal.reason`. What was begun may go on at the board after a cancel or `command-timeout`.
 */
export async function runCommand(
  request: CommandRequest,
  deps: CommandDependencies,
  signal: AbortSignal,
): Promise<ExitStatus> {
  const { prompter } = deps;
  const options = { prompter, memory: emptyMemory(), onNoise: () => {}, signal };
  const connection = await (deps.open ?? openTarget)(request.target, options);
  try {
    const arguments_ = /^sudo\s+(.*)$/s.exec(request.command.trim())?.[1];
    return arguments_ === undefined
      ? (await execute(connection, request.command, undefined, deps, signal)).status
      : await executeAsRoot(connection, arguments_, deps, signal);
  } finally {
    connection.close();
  }
}

async function executeAsRoot(
  connection: Connection,
  line: string,
  deps: CommandDependencies,
  signal: AbortSignal,
): Promise<ExitStatus> {
  // What sudo asks with, so that its question is told from all else, with the name of whose password it wants.
  const mark = `jetson-memprof-${randomBytes(8).toString("hex")}`;
  const command = (options: string) => `sudo ${options} -S -p '${mark}:%p:' ${line}`;
  // With nothing to read, sudo gives up where it would have to ask, and nothing is run.
  let result = await execute(connection, command(""), { mark }, deps, signal);
  for (let attempt = 1; result.asked !== undefined; attempt++) {
    const { user, host } = accountOf(connection, result.asked);
    if (attempt > ATTEMPTS) throw noPassword(connection.name, t("The password was wrong three times"));
    const password = await deps.prompter.secret({ kind: "sudo", user, host, attempt });
    signal.throwIfAborted();
    if (password === undefined) throw noPassword(connection.name, t("No password was given"));
    // -k: the password is asked for in any case, so that it can never be left for the command to read.
    result = await execute(connection, command("-k"), { mark, password }, deps, signal);
  }
  return result.status;
}

function noPassword(name: string, what: string): UserError {
  return new UserError(
    "sudo-password",
    t("{0}, and sudo on {1} needs it. Nothing was changed there.", what, name),
    t("Try again, or run the command on the board yourself."),
  );
}

/** @param user whose password sudo wants, usually the account's own */
function accountOf({ name }: Connection, user: string): { readonly user: string; readonly host: string } {
  return { user, host: name.slice(name.lastIndexOf("@") + 1) };
}

interface Sudo {
  readonly mark: string;
  readonly password?: string;
}

interface Execution {
  readonly status: ExitStatus;
  /** Whose password sudo wanted and did not get: it ran nothing. */
  readonly asked?: string;
}

async function execute(
  connection: Connection,
  command: string,
  sudo: Sudo | undefined,
  deps: CommandDependencies,
  signal: AbortSignal,
): Promise<Execution> {
  const process = await execUntil(connection, ["sh", "-c", command], signal);
  const ended = new AbortController();
  // A command may print what it read.
  const shown = {
    stdout: concealing(sudo?.password, (data) => deps.onOutput("stdout", data)),
    stderr: concealing(sudo?.password, (data) => deps.onOutput("stderr", data)),
  };
  const prompts = withoutPrompts(sudo?.mark, sudo?.password === undefined ? 0 : 1, shown.stderr.take);
  try {
    const streams = Promise.all([
      pass(process.stdout, shown.stdout.take).finally(shown.stdout.end),
      pass(process.stderr, prompts.take),
    ]);
    streams.catch(() => {});
    if (sudo?.password !== undefined) await write(process.stdin, `${sudo.password}\n`).catch(() => {});
    process.stdin.end();
    const limits = [rejectOnAbort(signal, ended.signal), late(deps.limit ?? LIMIT, connection.name, ended.signal)];
    for (const limit of limits) limit.catch(() => {});
    const status = await Promise.race([Promise.all([process.exit, streams]).then(([exit]) => exit), ...limits]);
    const loss = status.code === undefined && status.signal === undefined ? await lossOf(connection) : undefined;
    if (loss !== undefined) throw loss;
    const asked = prompts.end();
    shown.stderr.end();
    return { status, ...defined({ asked }) };
  } catch (error) {
    process.kill();
    process.stdin.destroy();
    throw error;
  } finally {
    ended.abort();
  }
}

async function pass(stream: Readable, take: (data: Buffer) => void): Promise<void> {
  for await (const data of stream as AsyncIterable<Buffer>) take(data);
}

function late(limit: number, name: string, ended: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setTimeout(() => {
      reject(
        new UserError(
          "command-timeout",
          t(
            "The command on {0} did not finish within {1} minutes and was abandoned.",
            name,
            Math.round(limit / 60_000),
          ),
          t("It may still be running there: check the board before you run it again."),
        ),
      );
    }, limit);
    ended.addEventListener("abort", () => clearTimeout(timer));
  });
}
