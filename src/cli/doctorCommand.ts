/** `doctor`: what a board has and lacks, and the commands that change it. */
import { diagnoseBoard } from "../board/doctor/diagnose.ts";
import type { DoctorReport } from "../board/doctor/model.ts";
import { coloured, plain } from "../profile/annotate.ts";
import { targetName } from "../profile/origin.ts";
import { printable } from "../profile/text.ts";
import { UserError } from "../profile/userError.ts";
import type { Prompter, TargetAddress } from "../protocol/board.ts";
import { formatTarget, parseTarget } from "../remote/address.ts";
import { runCommand } from "../remote/board/runCommand.ts";
import { surveyBoard } from "../remote/board/survey.ts";
import type { DoctorCommand } from "./doctorCommandLine.ts";
import { commandText, doctorJson, doctorText } from "./doctorReport.ts";
import { FAILURE, INTERRUPTED, signalStatus } from "./exitStatus.ts";
import type { Surroundings } from "./followRun.ts";
import { createInput, type Input } from "./input.ts";
import { jsonText, showsColours } from "./output.ts";
import { createPrompter, yesOrNo } from "./prompter.ts";
import { noStatusLine } from "./statusLine.ts";

const BOARD_FOLDER = "~/.jetson-memprof";

interface Session {
  readonly command: DoctorCommand;
  readonly target: TargetAddress;
  readonly input: Input;
  readonly prompter: Prompter;
  readonly signal: AbortSignal;
  readonly around: Surroundings;
}

/**
 * @returns the exit status
 * @throws UserError
 */
export async function doctor(command: DoctorCommand, helperFolder: string, around: Surroundings): Promise<number> {
  const { stderr, stdin, signals, quit } = around;
  const abort = new AbortController();
  const input = createInput(stdin, interrupt);

  function interrupt(): void {
    if (abort.signal.aborted) {
      quit(INTERRUPTED);
      return;
    }
    abort.abort();
    input.abandon();
  }

  const target = parseTarget(command.target);
  const session: Session = {
    command,
    target,
    input,
    prompter: createPrompter(input, stderr, noStatusLine),
    signal: abort.signal,
    around,
  };
  signals.on("SIGINT", interrupt);
  signals.on("SIGTERM", interrupt);
  try {
    return await perform(session, helperFolder);
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    stderr.write("Cancelled.\n");
    return INTERRUPTED;
  } finally {
    signals.off("SIGINT", interrupt);
    signals.off("SIGTERM", interrupt);
    input.stop();
  }
}

async function perform(session: Session, helperFolder: string): Promise<number> {
  const { command, target, prompter, signal, around } = session;
  const { action, python } = command;
  if (action.kind === "fix" && !session.input.isTerminal) {
    throw new UserError(
      "no-terminal",
      "--fix shows a command and asks before it is run, and standard input is not a terminal.",
      "Run it in a terminal, or run the command that the report shows on the board yourself.",
    );
  }
  const request = { target, boardFolder: BOARD_FOLDER, ...(python === undefined ? {} : { python }) };
  const report = diagnoseBoard(await surveyBoard(request, { prompter, helperFolder }, signal));
  switch (action.kind) {
    case "report":
      around.stdout.write(
        doctorText(report, placeOf(target, report), showsColours(around.stdout, around.env) ? coloured : plain),
      );
      return 0;
    case "json":
      around.stdout.write(jsonText(doctorJson(report, formatTarget(target))));
      return 0;
    case "fix":
      return await fix(session, report, action.line);
  }
}

function placeOf(target: TargetAddress, report: DoctorReport): string {
  return printable(targetName(formatTarget(target), target.kind === "loopback", report.simulated));
}

/** @throws UserError `no-fix` */
async function fix(session: Session, report: DoctorReport, id: string): Promise<number> {
  const { target, input, prompter, signal, around } = session;
  const { stdout, stderr } = around;
  const line = report.lines.find((one) => one.id === id);
  const { remedy } = line ?? {};
  if (line === undefined || remedy?.command === undefined) throw nothingToRun(report, id, line?.status);
  stderr.write(
    [`${line.title}: ${line.found}`, remedy.text, ...commandText(remedy)]
      .map((text) => `${printable(text)}\n`)
      .join(""),
  );
  const agreed = await yesOrNo(async () => {
    stderr.write(`Run it on ${placeOf(target, report)}? Type yes or no: `);
    const answer = await input.line(false);
    if (answer === undefined) stderr.write("\n");
    return answer;
  });
  if (!agreed) {
    stderr.write("Nothing was changed.\n");
    return INTERRUPTED;
  }
  const onOutput = (stream: "stdout" | "stderr", data: Uint8Array): void =>
    (stream === "stdout" ? stdout : stderr).write(data);
  const end = await runCommand({ target, command: remedy.command }, { prompter, onOutput }, signal);
  if (end.code === 0) stderr.write("Done.\n");
  else stderr.write(`The command ended with ${end.signal ?? `exit status ${end.code ?? "unknown"}`}.\n`);
  return end.code ?? (end.signal === undefined ? FAILURE : signalStatus(end.signal));
}

function nothingToRun(report: DoctorReport, id: string, status: string | undefined): UserError {
  const ids = report.lines.filter(({ remedy }) => remedy?.command !== undefined).map((line) => line.id);
  const what =
    status === undefined
      ? `There is no line "${id}" in the report of this board.`
      : `There is nothing to run for "${id}" on this board.`;
  return new UserError(
    "no-fix",
    what,
    ids.length === 0 ? "There is nothing to run on it at all." : `There is something to run for: ${ids.join(", ")}.`,
  );
}
