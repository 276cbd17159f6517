/** What Check Board tells of a board, from what the board said of itself. */
import { defined } from "../../profile/defined.ts";
import { printable } from "../../profile/text/text.ts";
import { sentences, t } from "../../words/t.ts";
import type { Survey } from "../survey.ts";
import { accessLines } from "./accessLines.ts";
import { boardLines } from "./boardLines.ts";
import { readFacts } from "./facts.ts";
import { memoryLines } from "./memoryLines.ts";
import type { DoctorLine, DoctorReport } from "./model.ts";
import { pythonLines } from "./pythonLines.ts";
import { toolLines } from "./toolLines.ts";

const TOPICS: readonly DoctorLine["topic"][] = ["board", "memory", "python", "tools", "access"];
/** What is the container's where scripts run in one. */
const OF_CONTAINER = new Set(["memory-limit", "python", "torch", "memory_profiler", "valgrind"]);

export function diagnoseBoard({ container, ...survey }: Survey): DoctorReport {
  if (container === undefined) return diagnosed(survey);
  const board = diagnosed(survey);
  const place = printable(container.place);
  return {
    ...board,
    title: t("{0} on {1}", place, board.title),
    lines: [
      ...board.lines.filter(({ id }) => !OF_CONTAINER.has(id)),
      ...diagnosed(container.survey)
        .lines.filter(({ id }) => OF_CONTAINER.has(id))
        .map((line) => inContainer(line, place)),
    ].sort((a, b) => TOPICS.indexOf(a.topic) - TOPICS.indexOf(b.topic)),
  };
}

/** No command of it is run: what is changed in a container is gone with it, and what is run on the board changes that. */
function inContainer({ title, remedy, ...line }: DoctorLine, place: string): DoctorLine {
  const named = { ...line, title: t("{0} in {1}", title, place) };
  if (remedy === undefined) return named;
  const { text, command } = remedy;
  const how = command && t("In the container, or where its image is built: `{0}`.", command);
  return { ...named, remedy: { text: sentences(text, how) } };
}

function diagnosed(survey: Survey): DoctorReport {
  const facts = readFacts(survey);
  return {
    title: facts.kind.title,
    ...defined({ simulated: survey.simulated === undefined ? undefined : printable(survey.simulated) }),
    lines: [boardLines, memoryLines, pythonLines, toolLines, accessLines].flatMap((lines) => lines(facts)),
  };
}
