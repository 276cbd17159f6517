/** What Check Board found, for a terminal or as JSON. */
import type { DoctorLine, DoctorReport, Remedy } from "../../../board/doctor/model.ts";
import { defined } from "../../../profile/defined.ts";
import type { Paint } from "../../../profile/lines/annotate.ts";
import type { Severity } from "../../../profile/lines/severity.ts";
import { aligned } from "../../../profile/text/table.ts";
import { printable } from "../../../profile/text/text.ts";
import { type Phrase, phrase, say, t } from "../../../words/t.ts";

const TOPICS: Readonly<Record<DoctorLine["topic"], Phrase>> = {
  board: phrase("Board"),
  memory: phrase("Memory"),
  python: phrase("Python"),
  tools: phrase("Tools"),
  access: phrase("Access"),
};

const SEVERITIES: Readonly<Record<DoctorLine["status"], Severity>> = {
  ok: "freed",
  limited: "medium",
  missing: "high",
  unknown: "low",
};

/** @param place where the board is, and whether it is simulated */
export function doctorText(report: DoctorReport, place: string, paint: Paint): string {
  const heads = aligned(
    report.lines.map(({ status, title }) => [status, printable(title), "|"]),
    0,
  );
  const indent = " ".repeat((heads[0] ?? "").length + 1);
  const parts = [paint.strong(printable(`${report.title} · ${place}`))];
  let topic: DoctorLine["topic"] | undefined;
  for (const [position, line] of report.lines.entries()) {
    if (line.topic !== topic) parts.push("", paint.strong(say(TOPICS[line.topic])));
    topic = line.topic;
    const head = (heads[position] ?? "").slice(line.status.length, -1);
    parts.push(
      `  ${paint.severity(SEVERITIES[line.status], line.status)}${head}${printable(line.found)}`,
      paint.faint(`${indent}${printable(line.goodFor)}`),
      ...remedyText(line, report.simulated === undefined).map((text) => indent + printable(text)),
    );
  }
  return `${parts.join("\n")}\n`;
}

/** @param real the command may be run from here */
function remedyText({ id, remedy }: DoctorLine, real: boolean): string[] {
  if (remedy === undefined) return [];
  return [
    remedy.text,
    ...commandText(remedy),
    ...(remedy.command === undefined || !real ? [] : [t("Or here: --fix {0}", id)]),
  ];
}

/** What is run, and how it is taken back. */
export function commandText({ command, undo }: Remedy): string[] {
  return [
    ...(command === undefined ? [] : [`  $ ${command}`]),
    ...(undo === undefined ? [] : [t("  to undo it: {0}", undo)]),
  ];
}

export function doctorJson(report: DoctorReport, target: string): object {
  return {
    schema: 1,
    target,
    title: report.title,
    ...defined({ simulated: report.simulated }),
    lines: report.lines.map(({ id, topic, title, status, found, goodFor, remedy }) => ({
      id,
      topic,
      title,
      status,
      found,
      good_for: goodFor,
      ...defined({ remedy: remedy === undefined ? undefined : remedyJson(remedy) }),
    })),
  };
}

function remedyJson({ text, command, asRoot, undo }: Remedy): object {
  return {
    text,
    ...(command === undefined ? {} : { command, as_root: asRoot === true }),
    ...defined({ undo }),
  };
}
