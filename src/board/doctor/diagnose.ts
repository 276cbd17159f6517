/** What Check Board tells of a board, from what the board said of itself. */
import { defined } from "../../profile/defined.ts";
import { printable } from "../../profile/text/text.ts";
import type { Survey } from "../survey.ts";
import { accessLines } from "./accessLines.ts";
import { boardLines } from "./boardLines.ts";
import { readFacts } from "./facts.ts";
import { memoryLines } from "./memoryLines.ts";
import type { DoctorReport } from "./model.ts";
import { pythonLines } from "./pythonLines.ts";
import { toolLines } from "./toolLines.ts";

export function diagnoseBoard(survey: Survey): DoctorReport {
  const facts = readFacts(survey);
  return {
    title: facts.kind.title,
    ...defined({ simulated: survey.simulated === undefined ? undefined : printable(survey.simulated) }),
    lines: [boardLines, memoryLines, pythonLines, toolLines, accessLines].flatMap((lines) => lines(facts)),
  };
}
