/** `doctor`: what a board has and lacks, and the commands that change it. */
import { diagnoseBoard } from "../../../board/doctor/diagnose.ts";
import { defined } from "../../../profile/defined.ts";
import { colored, plain } from "../../../profile/lines/annotate.ts";
import { UserError } from "../../../profile/userError.ts";
import { DEFAULT_BOARD_FOLDER, type Prompter, type TargetAddress } from "../../../protocol/run/run.ts";
import { formatTarget, parseTarget } from "../../../remote/address.ts";
import { parseInside } from "../../../remote/container/place.ts";
import { surveyBoard } from "../../../remote/session/survey.ts";
import { t } from "../../../words/t.ts";
import { INTERRUPTED } from "../../run/exitStatus.ts";
import type { Surroundings } from "../../run/followRun.ts";
import { createInput, type Input } from "../../terminal/input.ts";
import { jsonText, showsColors } from "../../terminal/output.ts";
import { createPrompter } from "../../terminal/prompter.ts";
import { noStatusLine } from "../../terminal/statusLine.ts";
import { placeOf } from "../boardPlace.ts";
import type { DoctorCommand } from "./doctorCommandLine.ts";
import { fixLine } from "./doctorFix.ts";
import { doctorJson, doctorText } from "./doctorReport.ts";

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
    stderr.write(t("Cancelled.\n"));
    return INTERRUPTED;
  } finally {
    signals.off("SIGINT", interrupt);
    signals.off("SIGTERM", interrupt);
    input.stop();
  }
}

async function perform(session: Session, helperFolder: string): Promise<number> {
  const { command, target, prompter, signal, around } = session;
  const { action, python, boardFolder = DEFAULT_BOARD_FOLDER } = command;
  const inside = command.inside === undefined ? undefined : parseInside(command.inside);
  if (action.kind === "fix" && !session.input.isTerminal) {
    throw new UserError(
      "no-terminal",
      t("--fix shows a command and asks before it is run, and standard input is not a terminal."),
      t("Run it in a terminal, or run the command that the report shows on the board yourself."),
    );
  }
  const request = { target, boardFolder, ...defined({ inside, python }) };
  const report = diagnoseBoard(await surveyBoard(request, { prompter, helperFolder }, signal));
  switch (action.kind) {
    case "report":
      around.stdout.write(
        doctorText(report, placeOf(target, report.simulated), showsColors(around.stdout, around.env) ? colored : plain),
      );
      return 0;
    case "json":
      around.stdout.write(jsonText(doctorJson(report, formatTarget(target))));
      return 0;
    case "fix":
      return await fixLine(report, action.line, { ...session, ...around });
  }
}
