/** What each part of a process's life took: importing PyTorch, starting CUDA, the first steps. Pure. */

import { type Phrase, phrase } from "../../words/t.ts";
import { present } from "../files/jsonRecords.ts";
import type { LinePlace } from "../lines/totals.ts";
import type { Phase, PhaseName, Profile } from "../model.ts";
import { processName } from "../run/processName.ts";

/** In a table that says what they are. */
export const PHASE_NAMES: Readonly<Record<PhaseName, Phrase>> = {
  "import-torch": phrase("importing PyTorch"),
  cuda: phrase("starting CUDA"),
  "to-device": phrase("moving the model to the device"),
  "first-forward": phrase("first forward pass"),
  "first-backward": phrase("first backward pass"),
  "first-step": phrase("optimizer's first step"),
  steady: phrase("steady state"),
};

export const PHASES_TITLE = phrase("What PyTorch and CUDA took outside the allocator, by phase");
export const PHASES_NOTE = phrase(
  "Each row is the change until the next phase began. Outside the allocator is inferred: the change of the board's memory in use less that of what PyTorch's allocator reserved. It holds CUDA's context and libraries, the growth of the process itself (RSS), and what other programs took meanwhile. –: not known, or the phase goes on to the end.",
);

/** What a phase took; bytes. A figure is absent where one of its ends is not known, as of a phase that goes on. */
export interface PhaseCost {
  readonly phase: PhaseName;
  /** The process's label, where several have phases. */
  readonly process?: string;
  /** When it began, in milliseconds since the run's start. */
  readonly t: number;
  /** The line that began it. */
  readonly at?: LinePlace;
  readonly rss?: number;
  /** Of the whole board: MemTotal less MemAvailable. */
  readonly inUse?: number;
  readonly allocated?: number;
  readonly reserved?: number;
  readonly outside?: number;
}

/** By process, each one's in the order in which they began. */
export function phaseCosts({ phases, run }: Pick<Profile, "phases" | "run">): PhaseCost[] {
  const pids = [...new Set(phases.map(({ pid }) => pid))];
  return pids.flatMap((pid) => {
    const own = phases.filter((phase) => phase.pid === pid);
    const label = processName(run, pid);
    return own.map((phase, at) => costOf(phase, own[at + 1], pids.length > 1 ? label : undefined));
  });
}

function costOf(phase: Phase, next: Phase | undefined, process: string | undefined): PhaseCost {
  const change = (figure: "rss" | "memAvailable" | "allocated" | "reserved") => less(next?.[figure], phase[figure]);
  const inUse = less(phase.memAvailable, next?.memAvailable);
  const reserved = change("reserved");
  return present({
    phase: phase.phase,
    process,
    t: phase.t,
    at: phase.at,
    rss: change("rss"),
    inUse,
    allocated: change("allocated"),
    reserved,
    outside: less(inUse, reserved),
  });
}

function less(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a - b;
}
