/** `doctor --fix`: the command for a line of the report is shown, agreed to, and run on the board. */
import type { DoctorReport } from "../board/doctor/model.ts";
import { printable } from "../profile/text.ts";
import { UserError } from "../profile/userError.ts";
import type { Prompter, TargetAddress } from "../protocol/board.ts";
import { runCommand } from "../remote/board/runCommand.ts";
import { placeOf } from "./boardPlace.ts";
import { commandText } from "./doctorReport.ts";
import { FAILURE, INTERRUPTED, signalStatus } from "./exitStatus.ts";
import type { Input } from "./input.ts";
import type { Output } from "./output.ts";
import { yesOrNo } from "./prompter.ts";

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
      `The board is a simulated ${printable(report.simulated)}: the command would change the computer that simulates it.`,
      "Commands of Check Board are run on real boards only.",
    );
  }
  const shown = [`${line.title}: ${line.found}`, remedy.text, ...commandText(remedy)];
  stderr.write(shown.map((text) => `${printable(text)}\n`).join(""));
  const agreed = await yesOrNo(async () => {
    stderr.write(`Run it on ${printable(placeOf(target, report.simulated))}? Type yes or no: `);
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
  const { code, signal } = await runCommand(
    { target, command: remedy.command },
    { prompter: around.prompter, onOutput },
    around.signal,
  );
  stderr.write(code === 0 ? "Done.\n" : `The command ended with ${signal ?? `exit status ${code ?? "unknown"}`}.\n`);
  return code ?? (signal === undefined ? FAILURE : signalStatus(signal));
}

function nothingToRun(report: DoctorReport, id: string, known: boolean): UserError {
  const ids = report.lines.filter(({ remedy }) => remedy?.command !== undefined).map((line) => line.id);
  return new UserError(
    "no-fix",
    known ? `There is nothing to run for "${id}" on this board.` : `The report of this board has no line "${id}".`,
    ids.length === 0 ? "There is nothing to run on it at all." : `There is something to run for: ${ids.join(", ")}.`,
  );
}
