/** The words of Check Board's page, and what is counted where. */
import type { DoctorLine, DoctorReport } from "../../src/board/doctor/model.ts";
import type { Sign } from "../sign.ts";

export type Status = DoctorLine["status"];
export type Topic = DoctorLine["topic"];

export const STATUSES: Readonly<Record<Status, { readonly word: string; readonly sign: Sign }>> = {
  missing: { word: "Missing", sign: "cross" },
  limited: { word: "Limited", sign: "bang" },
  unknown: { word: "Unknown", sign: "question" },
  ok: { word: "Fine", sign: "check" },
};

const TOPICS: Readonly<Record<Topic, string>> = {
  board: "Board",
  memory: "Memory",
  python: "Python",
  tools: "Tools",
  access: "What may be read",
};

/** The topics that have lines, in the page's order, each with its lines as they came. */
export function byTopic({ lines }: DoctorReport): { readonly name: string; readonly lines: readonly DoctorLine[] }[] {
  return Object.entries(TOPICS)
    .map(([topic, name]) => ({ name, lines: lines.filter((line) => line.topic === topic) }))
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
    .map((group) => ({ ...group, text: `${group.lines.length} ${STATUSES[group.status].word.toLowerCase()}` }));
}
