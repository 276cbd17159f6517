/** The stacks of a snapshot, equal ones kept once: a training loop allocates from few places, again and again. */
import type { Budget } from "../../pickle/limits.ts";
import type { MemoryFrame } from "../frames.ts";

const COST = { frame: 300, stack: 200, place: 8 } as const;

const MOST_PROBES = 64;

export interface StackTable {
  readonly frames: readonly MemoryFrame[];
  readonly stacks: readonly (readonly number[])[];
  /** @returns the frame's place in `frames` */
  frame(frame: MemoryFrame): number;
  /** @returns the stack's place in `stacks`, where there is a copy of it */
  stack(places: readonly number[]): number;
}

export function createStackTable(budget: Budget): StackTable {
  const frames: MemoryFrame[] = [];
  const frameNumbers = new Map<string, number>();
  const stacks: (readonly number[])[] = [];
  let hashes = new Int32Array(0);
  /** Places in `stacks`, -1: free. Its length is a power of two. */
  let slots = new Int32Array(1024).fill(-1);

  /** A stack that finds no slot is not found again: it is kept twice. That happens only where hashes are made to agree. */
  function insert(hash: number, stack: number): void {
    for (let probe = 0; probe < MOST_PROBES; probe++) {
      const at = (hash + probe) & (slots.length - 1);
      if (slots[at] !== -1) continue;
      slots[at] = stack;
      return;
    }
  }

  function find(hash: number, places: readonly number[]): number | undefined {
    for (let probe = 0; probe < MOST_PROBES; probe++) {
      const stack = slots[(hash + probe) & (slots.length - 1)] ?? -1;
      if (stack === -1) return undefined;
      if (hashes[stack] === hash && isSame(stacks[stack] ?? [], places)) return stack;
    }
    return undefined;
  }

  function grow(): void {
    slots = new Int32Array(slots.length * 2).fill(-1);
    for (let stack = 0; stack < stacks.length; stack++) insert(hashes[stack] ?? 0, stack);
  }

  return {
    frames,
    stacks,
    frame(frame) {
      const key = JSON.stringify([frame.name, frame.file, frame.line]);
      const known = frameNumbers.get(key);
      if (known !== undefined) return known;
      budget.take(COST.frame + 2 * key.length);
      frameNumbers.set(key, frames.length);
      return frames.push(frame) - 1;
    },
    stack(places) {
      const hash = hashOf(places);
      const known = find(hash, places);
      if (known !== undefined) return known;
      budget.take(COST.stack + COST.place * places.length);
      if (stacks.length === hashes.length) {
        const longer = new Int32Array(Math.max(1024, hashes.length * 2));
        longer.set(hashes);
        hashes = longer;
      }
      hashes[stacks.length] = hash;
      const made = stacks.push([...places]) - 1;
      if (2 * stacks.length > slots.length) grow();
      else insert(hash, made);
      return made;
    },
  };
}

function hashOf(places: readonly number[]): number {
  let hash = places.length;
  for (const place of places) {
    hash = Math.imul(hash ^ place, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
