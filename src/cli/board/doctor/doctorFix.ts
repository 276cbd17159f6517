/** `doctor --fix`: the command for a line of the report is shown, agreed to, and run on the board. */
import type { DoctorReport } from "../../../board/doctor/model.ts";
import { printable } from "../../../profile/text/text.ts";
import { UserError } from "../../../profile/userError.ts";
import type { Prompter, TargetAddress } from "../../../protocol/run/run.ts";
import { runCommand } from "../../../remote/session/runCommand.ts";
import { t } from "../../../words/t.ts";
import { FAILURE, INTERRUPTED, signalStatus } from "../../run/exitStatus.ts";
import type { Input } from "../../terminal/input.ts";
import { type Output, passingOn } from "../../terminal/output.ts";
import { yesOrNo } from "../../terminal/prompter.ts";
import { placeOf } from "../boardPlace.ts";
import { commandText } from "./doctorReport.ts";

export interface FixSurroundings {
  readonly target: TargetAddress;
  /** A terminal. */
  readonly input: Input;
  readonly prompter: Prompter;
  readonly signal: AbortSignal;
  readonly stdout: Output;
  readonly stderr: Output;
}

/**
 * @returns the exit status
 * @throws UserError
 */
export async function fixLine(report: DoctorReport, id: string, around: FixSurroundings): Promise<number> {
  const { target, input, stdout, stderr } = around;
  const line = report.lines.find((one) => one.id === id);
  const { remedy } = line ?? {};
  if (line === undefined || remedy?.command === undefined) throw nothingToRun(report, id, line !== undefined);
  if (report.simulated !== undefined) {
    throw new UserError(
      "simulated",
      t(
        "The board is a simulated {0}: the command would change the computer that simulates it.",
        printable(report.simulated),
      ),
      t("Commands of Check Board are run on real boards only."),
    );
  }
  const shown = [`${line.title}: ${line.found}`, remedy.text, ...commandText(remedy)];
  stderr.write(shown.map((text) => `${printable(text)}\n`).join(""));
  const agreed = await yesOrNo(
    input,
    stderr,
    t("Run it on {0}? Type yes or no: ", printable(placeOf(target, report.simulated))),
  );
  if (!agreed) {
    stderr.write(t("Nothing was changed.\n"));
    return INTERRUPTED;
  }
  const streams = { stdout: passingOn(stdout), stderr: passingOn(stderr) };
  const onOutput = (stream: "stdout" | "stderr", data: Uint8Array): void => streams[stream](data);
  const { code, signal } = await runCommand(
    { target, command: remedy.command },
    { prompter: around.prompter, onOutput },
    around.signal,
  );
  stderr.write(
    code === 0 ? "Done.\n" : t("The command ended with {0}.\n", signal ?? t("exit status {0}", code ?? "unknown")),
  );
  return code ?? (signal === undefined ? FAILURE : signalStatus(signal));
}

function nothingToRun(report: DoctorReport, id: string, known: boolean): UserError {
  const ids = report.lines.filter(({ remedy }) => remedy?.command !== undefined).map((line) => line.id);
  return new UserError(
    "no-fix",
    known
      ? t('There is nothing to run for "{0}" on this board.', id)
      : t('The report of this board has no line "{0}".', id),
    ids.length === 0
      ? t("There is nothing to run on it at all.")
      : t("There is something to run for: {0}.", ids.join(", ")),
  );
}
