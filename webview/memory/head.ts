/** Whose memory is shown, the figures that matter most, and what is missing. */

import type { MomentTable } from "../../src/board/moments/momentTable.ts";
import type { GpuSummary } from "../../src/profile/gpu/gpuMemory.ts";
import { printable } from "../../src/profile/text/text.ts";
import type { ToMemoryPage } from "../../src/protocol/board/memory.ts";
import { sentences, t } from "../../src/words/t.ts";
import { byId } from "../dom.ts";
import { showSimulated } from "../simulated.ts";
import { figureItems, figuresOf } from "./reading.ts";
import { momentText } from "./words.ts";

type Start = Extract<ToMemoryPage, { kind: "start" }>;

/** What is known of the board and the run so far. */
export interface Source {
  readonly start: Start;
  readonly table: MomentTable;
  /** Whether records still come. */
  live: boolean;
  /** Highest RSS of the run's main process, bytes; known once the run has ended. */
  rssPeak: number | undefined;
  /** What calls of its processes took of the GPU. */
  gpu: readonly GpuSummary[];
}

export const simulatedBoard = ({ start, table: moments }: Source): string | undefined =>
  start.simulated ?? moments.header()?.simulated;

export function showHead(source: Source): void {
  const { start, table: moments, live } = source;
  byId("title", HTMLElement).textContent = printable(start.title);
  byId("board", HTMLElement).textContent = printable(start.board ?? "");
  showSimulated(simulatedBoard(source));
  const words = start.source === "run" ? [t("Run in progress"), t("Run ended")] : [t("Live view"), t("Stopped")];
  const state = byId("state", HTMLElement);
  state.textContent = `${live ? "●" : "■"} ${words[live ? 0 : 1]}`;
  state.classList.toggle("live", live);
  const newest = byId("newest", HTMLElement);
  newest.hidden = moments.size === 0;
  if (moments.size === 0) return;
  const { name, place } = momentOf(source);
  const moment = moments.moment(place);
  const when = { name, value: momentText(moment.t) };
  newest.replaceChildren(...figureItems([when, ...figuresOf(moment)]));
}

/** What matters most: how it stands now, or how it stood at the peak of a run that is over. */
function momentOf({ start, table: moments, live }: Source): { readonly name: string; readonly place: number } {
  const newest = moments.size - 1;
  if (live) return { name: t("Now"), place: newest };
  const peak = start.source === "run" ? moments.peak() : undefined;
  return peak === undefined ? { name: t("Last record"), place: newest } : { name: t("Peak at"), place: peak };
}

/** What is missing and what to do; empty where all is as it should be. */
export function statusText({ start, table: moments, live }: Source): string {
  const unreadable = unreadableText(moments.unreadable);
  if (moments.size > 0) return unreadable;
  if (live) return sentences(t("Waiting for the first record of the board’s memory."), unreadable);
  return start.source === "run"
    ? sentences(t("This run has no record of the board’s memory. Profile the script again to get one."), unreadable)
    : sentences(t("No record came from the board. Start Watch Memory again."), unreadable);
}

function unreadableText(records: number): string {
  if (records === 0) return "";
  return records === 1
    ? t("1 damaged record was passed over; the others are shown.")
    : t("{0} damaged records were passed over; the others are shown.", records);
}
