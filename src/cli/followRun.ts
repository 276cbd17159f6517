/** Accompanies a run in the terminal until it ends: output, progress, questions, input, Ctrl-C. */
import { printable } from "../profile/text.ts";
import type { RunDependencies, RunEvent, RunHandle, RunOutcome } from "../protocol/board.ts";
import { progressText } from "../protocol/progressText.ts";
import { INTERRUPTED } from "./exitStatus.ts";
import { createInput } from "./input.ts";
import type { Output } from "./output.ts";
import { createPrompter } from "./prompter.ts";
import { createRiskQuestion } from "./riskQuestion.ts";
import { createStatusLine, noStatusLine, type StatusLine } from "./statusLine.ts";

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

export interface FollowOptions {
  /** Standard output is kept for JSON: the script's goes to standard error. */
  readonly json: boolean;
  readonly quiet: boolean;
  /** Starts a run whatever speaks against it. */
  readonly anyway: boolean;
  readonly helperFolder: string;
}

/** @param start begins the run */
export async function followRun(
  start: (dependencies: RunDependencies) => RunHandle,
  options: FollowOptions,
  { stdout, stderr, stdin, signals, quit }: Surroundings,
): Promise<RunOutcome> {
  const status = !options.quiet && stderr.isTerminal ? createStatusLine(stderr) : noStatusLine;
  const input = createInput(stdin, interrupt);
  let handle: RunHandle | undefined;
  let interrupted = false;

  function interrupt(): void {
    status.clear();
    if (interrupted) {
      quit(INTERRUPTED);
      return;
    }
    interrupted = true;
    stderr.write("\nEnding the run on the board; press Ctrl-C again to quit at once.\n");
    input.abandon();
    handle?.cancel();
  }

  function onEvent(event: RunEvent): void {
    if (event.kind === "output") {
      const to = event.stream === "stdout" && !options.json ? stdout : stderr;
      passOn(event.data, to, status);
    } else if (event.kind === "started") {
      input.forward({ data: async (bytes) => await handle?.input(bytes), end: () => handle?.closeInput() });
    } else if (event.kind === "warning" && !options.quiet) {
      status.clear();
      stderr.write(`Note: ${printable(event.message)}\n`);
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
      prompter: createPrompter(input, stderr, status),
      acceptRisk: createRiskQuestion(input, stderr, status, options.anyway),
      helperFolder: options.helperFolder,
      onEvent,
    });
    if (interrupted) handle.cancel();
    return await handle.done;
  } finally {
    signals.off("SIGINT", interrupt);
    signals.off("SIGTERM", interrupt);
    input.stop();
    status.clear();
  }
}

function passOn(data: Uint8Array, to: Output, status: StatusLine): void {
  // Output that goes elsewhere leaves the line on the terminal alone.
  if (to.isTerminal) status.around(data, () => to.write(data));
  else to.write(data);
}
