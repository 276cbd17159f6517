/** Accompanies a run in the terminal until it ends: output, progress, questions, input, Ctrl-C. */
import { printable } from "../../profile/text/text.ts";
import { LOST, progressText } from "../../protocol/run/progressText.ts";
import type { RunDependencies, RunEvent, RunHandle, RunOutcome } from "../../protocol/run/run.ts";
import { say, t } from "../../words/t.ts";
import { createInput } from "../terminal/input.ts";
import { type Lane, namedLines } from "../terminal/lane.ts";
import { type Output, passingOn } from "../terminal/output.ts";
import { createPrompter } from "../terminal/prompter.ts";
import { createReachQuestion } from "../terminal/reachQuestion.ts";
import { createStatusLine, noStatusLine } from "../terminal/statusLine.ts";
import { INTERRUPTED } from "./exitStatus.ts";
import { createRiskQuestion } from "./riskQuestion.ts";
import { createSendQuestion } from "./sendQuestion.ts";

export interface Surroundings {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: NodeJS.ReadStream;
  readonly env: NodeJS.ProcessEnv;
  /** SIGINT and SIGTERM come here. */
  readonly signals: NodeJS.EventEmitter;
  /** Ends the program at once. */
  readonly quit: (status: number) => void;
}

/** Milliseconds: programs between us and the keyboard pass one Ctrl-C on twice. */
const SAME_PRESS = 300;

/** `kept`: in the run's folder only. */
export type ScriptOutput = "passed-on" | "kept";

export interface FollowOptions {
  /** Standard output is kept for JSON: the script's goes to standard error. */
  readonly json: boolean;
  readonly quiet: boolean;
  /** Starts a run whatever speaks against it. */
  readonly anyway: boolean;
  readonly output: ScriptOutput;
  /** Where it is one of several at once: the script gets no input. */
  readonly lane?: Lane;
  /** The run is only looked at: it gets no input, and goes on whatever happens here. */
  readonly leaves?: boolean;
  readonly helperFolder: string;
}

/** @param start begins the run */
export async function followRun(
  start: (dependencies: RunDependencies) => RunHandle,
  options: FollowOptions,
  { stdout, stderr: all, stdin, signals, quit }: Surroundings,
): Promise<RunOutcome> {
  const { lane, leaves = false } = options;
  const stderr = lane === undefined ? all : namedLines(all, lane);
  const status = !options.quiet && stderr.isTerminal ? createStatusLine(stderr) : noStatusLine;
  const input = createInput(stdin, lane === undefined ? interrupt : () => signals.emit("SIGINT"));
  const passedTo = (to: Output) => ({ to, write: passingOn(to) });
  const streams = { stdout: passedTo(options.json ? stderr : stdout), stderr: passedTo(stderr) };
  const prompter = createPrompter(input, stderr, status);
  const inTurn =
    <Question, Answer>(ask: (question: Question) => Promise<Answer>) =>
    (question: Question): Promise<Answer> =>
      lane === undefined ? ask(question) : lane.inTurn(() => ask(question));
  const ending = leaves ? "letGo" : "cancel";
  let handle: RunHandle | undefined;
  let interruptedAt: number | undefined;

  function interrupt(): void {
    status.clear();
    if (interruptedAt !== undefined) {
      if (performance.now() - interruptedAt < SAME_PRESS) return;
      stderr.write(
        t("jetson-memprof did not wait for the run to end. If it is still running: jetson-memprof cancel last\n"),
      );
      quit(INTERRUPTED);
      return;
    }
    interruptedAt = performance.now();
    if (leaves) {
      stderr.write(t("\nThe run keeps running.\n"));
    } else {
      stderr.write(t("\nEnding the run on the board; press Ctrl-C again to quit at once.\n"));
    }
    input.abandon();
    handle?.[ending]();
  }

  function passInput(): void {
    if (leaves) return;
    if (lane !== undefined) handle?.closeInput();
    else input.forward({ data: async (bytes) => await handle?.input(bytes), end: () => handle?.closeInput() });
  }

  function onEvent(event: RunEvent): void {
    if (event.kind === "output") {
      if (options.output === "kept") return;
      const { to, write } = streams[event.stream];
      // Output that goes elsewhere leaves the line on the terminal alone.
      if (to.isTerminal) status.around(event.data, () => write(event.data));
      else write(event.data);
    } else if (event.kind === "started") {
      passInput();
    } else {
      const note = noteOf(event);
      if (note !== undefined && !options.quiet) {
        status.clear();
        stderr.write(t("Note: {0}\n", printable(note)));
      }
    }
    const text = progressText(event);
    if (text === undefined) return;
    const at = event.kind === "progress" && event.at ? ` · ${printable(event.at.path)}:${event.at.line}` : "";
    status.show(text + at);
  }

  signals.on("SIGINT", interrupt);
  signals.on("SIGTERM", interrupt);
  try {
    handle = start({
      prompter: {
        confirmHostKey: inTurn(prompter.confirmHostKey),
        secret: inTurn(prompter.secret),
        keyboardInteractive: inTurn(prompter.keyboardInteractive),
      },
      acceptRisk: inTurn(createRiskQuestion(input, stderr, status, options.anyway)),
      maySend: inTurn(createSendQuestion(input, stderr, status, options.quiet)),
      mayReach: inTurn(createReachQuestion(input, stderr, status)),
      helperFolder: options.helperFolder,
      onEvent,
    });
    if (interruptedAt !== undefined) handle[ending]();
    return await handle.done;
  } finally {
    signals.off("SIGINT", interrupt);
    signals.off("SIGTERM", interrupt);
    input.stop();
    status.clear();
  }
}

/** What stays on the terminal, also where there is no status line. */
function noteOf(event: RunEvent): string | undefined {
  switch (event.kind) {
    case "warning":
      return event.message;
    case "reconnecting":
      // How the tries go is for the status line.
      return event.attempt === 1
        ? t("{0} Trying to reach it again. ({1})", say(LOST[event.script]), event.reason)
        : undefined;
    case "reconnected":
      return t("Connected again; what the run did meanwhile follows.");
    default:
      return undefined;
  }
}
