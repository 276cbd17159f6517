/** What the run's processes hold, before it is fitted into the kernel's totals. */
import type { ProcessMemory } from "../moments/model.ts";
import type { Sureness } from "./model.ts";
import { wholeBytes } from "./purse.ts";

/** Bytes undefined: it could not be told apart. */
export interface Claim {
  readonly bytes: number | undefined;
  /** The run cannot hold less: what its largest process alone holds. */
  readonly least: number;
  readonly sureness: Sureness;
  readonly how: string;
}

export interface RunShare {
  readonly anon: Claim;
  readonly file: Claim;
  readonly shmem: Claim;
}

/** @param run at least one process */
export function runShare(run: readonly ProcessMemory[]): RunShare {
  const [only, ...more] = run;
  return only !== undefined && more.length === 0 ? ofOne(only) : ofMany(run);
}

const NO_SPLIT =
  "This kernel tells only the sum of a process's memory, so its libraries and shared memory are counted with its heap.";

function ofOne(process: ProcessMemory): RunShare {
  return {
    anon:
      process.anon === undefined
        ? claim(process.rss, "estimated", NO_SPLIT)
        : claim(process.anon, "exact", "RssAnon of the process: what only it holds, its heap for the most part."),
    file:
      process.file === undefined
        ? unknown("The kernel does not tell it apart; it is in the run's heap, or in the libraries of other programs.")
        : claim(
            process.file,
            "exact",
            "RssFile of the process: Python, its libraries and mapped files. Other programs may use the same pages.",
          ),
    shmem:
      process.shmem === undefined
        ? unknown("The kernel does not tell it apart; it is in the run's heap, or in the shared memory of others.")
        : claim(process.shmem, "exact", "RssShmem of the process: shared memory and tmpfs that it has mapped."),
  };
}

function ofMany(run: readonly ProcessMemory[]): RunShare {
  const allKnown = run.every(({ pss }) => pss !== undefined);
  const anons = run.map((process) => anonOf(process, run.length));
  const split = run.some(({ file }) => file !== undefined);
  const splitShmem = run.some(({ shmem }) => shmem !== undefined);
  return {
    anon: {
      bytes: anons.reduce((sum, bytes) => sum + bytes, 0),
      least: largest(run.map(({ anon, uss }) => anon ?? uss)),
      sureness: "estimated",
      how: allKnown
        ? `From the PSS of ${run.length} processes, which counts a page they share once. May be a little too small where their libraries are used by other programs too.`
        : `The sum of RssAnon of ${run.length} processes, as their PSS is not known. Too large by what forked processes still share.`,
    },
    file: split
      ? claim(
          largest(run.map(({ file }) => file)),
          "estimated",
          `The largest RssFile of ${run.length} processes, which share their libraries. Too small by files that only another of them has mapped.`,
        )
      : unknown("The kernel does not tell it apart."),
    shmem: splitShmem
      ? claim(
          largest(run.map(({ shmem }) => shmem)),
          "estimated",
          `The largest RssShmem of ${run.length} processes, which share it. Too small by what only another of them has mapped.`,
        )
      : unknown("The kernel does not tell it apart."),
  };
}

/**
 * A process's part of the anonymous memory of `sharers` processes. Its PSS holds its part of file pages too: that is
 * taken to be an equal share, as processes of one script map the same libraries.
 */
function anonOf({ rss, anon, file, shmem, pss, uss }: ProcessMemory, sharers: number): number {
  const most = wholeBytes(anon ?? rss);
  if (pss === undefined) return most;
  const mapped = wholeBytes(file) + wholeBytes(shmem);
  const least = Math.max(0, wholeBytes(uss) - mapped);
  return Math.max(Math.min(least, most), Math.min(most, Math.floor(wholeBytes(pss) - mapped / sharers)));
}

function largest(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, wholeBytes(value)), 0);
}

function claim(bytes: number, sureness: Sureness, how: string): Claim {
  return { bytes: wholeBytes(bytes), least: wholeBytes(bytes), sureness, how };
}

function unknown(how: string): Claim {
  return { bytes: undefined, least: 0, sureness: "unknown", how };
}
