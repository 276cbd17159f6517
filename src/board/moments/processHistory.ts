/**
 * The processes of every moment. What did not change is not kept twice: a moment has its changes, every 64th the whole
 * table, so that any of them is put together from at most 63 changes.
 */
import type { ProcessMemory } from "./model.ts";

const EVERY = 64;

export interface ProcessHistory {
  /** The next moment. */
  add(changed: readonly ProcessMemory[], gone: readonly number[]): void;
  /** The next moment tells of every process anew. */
  restart(): void;
  /** As of the newest moment. */
  now(pid: number): ProcessMemory | undefined;
  at(moment: number): readonly ProcessMemory[];
}

interface Changes {
  readonly changed: readonly ProcessMemory[];
  readonly gone: readonly number[];
}

export function createProcessHistory(): ProcessHistory {
  const changes: Changes[] = [];
  const wholes: (readonly ProcessMemory[])[] = [];
  const current = new Map<number, ProcessMemory>();
  let before: readonly number[] = [];
  return {
    add(changed, gone) {
      const change = { changed, gone: [...before, ...gone] };
      before = [];
      apply(current, change);
      changes.push(change);
      if ((changes.length - 1) % EVERY === 0) wholes.push([...current.values()]);
    },
    restart() {
      before = [...current.keys()];
    },
    now: (pid) => current.get(pid),
    at(moment) {
      const whole = Math.floor(moment / EVERY);
      const base = wholes[whole] ?? [];
      const later = changes.slice(whole * EVERY + 1, moment + 1);
      if (later.length === 0) return base;
      const table = new Map(base.map((process) => [process.pid, process]));
      for (const change of later) apply(table, change);
      return [...table.values()];
    },
  };
}

/** A process may end and another begin with its number between two moments: what is gone goes first. */
function apply(table: Map<number, ProcessMemory>, { changed, gone }: Changes): void {
  for (const pid of gone) table.delete(pid);
  for (const process of changed) table.set(process.pid, process);
}
