/** The words of Check Board's page, and what is counted where. */
import type { DoctorLine, DoctorReport } from "../../src/board/doctor/model.ts";
import { t } from "../../src/words/t.ts";
import type { Sign } from "../sign.ts";

export type Status = DoctorLine["status"];
export type Topic = DoctorLine["topic"];

interface StatusWords {
  readonly word: () => string;
  /** `2 missing`. */
  readonly counted: (count: number) => string;
  readonly sign: Sign;
}

export const STATUSES: Readonly<Record<Status, StatusWords>> = {
  missing: { word: () => t("Missing"), counted: (count) => t("{0} missing", count), sign: "cross" },
  limited: { word: () => t("Limited"), counted: (count) => t("{0} limited", count), sign: "bang" },
  unknown: { word: () => t("Unknown"), counted: (count) => t("{0} unknown", count), sign: "question" },
  ok: { word: () => t("Fine"), counted: (count) => t("{0} fine", count), sign: "check" },
};

const TOPICS: Readonly<Record<Topic, () => string>> = {
  board: () => t("Board"),
  memory: () => t("Memory"),
  python: () => "Python",
  tools: () => t("Tools"),
  access: () => t("What may be read"),
};

/** The topics that have lines, in the page's order, each with its lines as they came. */
export function byTopic({ lines }: DoctorReport): { readonly name: string; readonly lines: readonly DoctorLine[] }[] {
  return Object.entries(TOPICS)
    .map(([topic, name]) => ({ name: name(), lines: lines.filter((line) => line.topic === topic) }))
    .filter((group) => group.lines.length > 0);
}

export interface StatusCount {
  readonly status: Status;
  /** `2 missing`. */
  readonly text: string;
  readonly lines: readonly DoctorLine[];
}

/** The lines of each status, worst first; what does not occur is left out. */
export function byStatus({ lines }: DoctorReport): StatusCount[] {
  return (Object.keys(STATUSES) as Status[])
    .map((status) => ({ status, lines: lines.filter((line) => line.status === status) }))
    .filter((group) => group.lines.length > 0)
    .map((group) => ({ ...group, text: STATUSES[group.status].counted(group.lines.length) }));
}
