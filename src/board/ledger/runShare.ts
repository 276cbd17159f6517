/** What the run's processes hold, before it is fitted into the kernel's totals. */
import { t } from "../../words/t.ts";
import type { ProcessMemory } from "../moments/model.ts";
import type { Sureness } from "./model.ts";
import { wholeBytes } from "./purse.ts";

/** Bytes undefined: it could not be told apart. */
export interface Claim {
  readonly bytes: number | undefined;
  /** Of the bytes, those that are not in doubt: only what is beyond them may be another program's. */
  readonly firm: number;
  readonly sureness: Sureness;
  readonly how: string;
}

export interface RunShare {
  readonly anon: Claim;
  readonly file: Claim;
  readonly shmem: Claim;
}

/**
 * @param run at least one process
 * @param anonGrown what anonymous memory grew by since the moment before the run, other programs' growth left out
 */
export function runShare(run: readonly ProcessMemory[], anonGrown: number | undefined): RunShare {
  const [only, ...more] = run;
  return only !== undefined && more.length === 0 ? ofOne(only) : ofMany(run, anonGrown);
}

const noSplit = (): string =>
  t(
    "This kernel reports only the sum of a process's memory, so its libraries and shared memory are counted with its heap.",
  );

function ofOne(process: ProcessMemory): RunShare {
  return {
    anon:
      process.anon === undefined
        ? claim(process.rss, "estimated", noSplit())
        : claim(process.anon, "exact", t("RssAnon of the process: what only it holds, its heap for the most part.")),
    file: fileOfOne(process),
    shmem:
      process.shmem === undefined
        ? unknown(
            t(
              "The kernel does not report it separately; it is in the run's file pages or heap, or in the shared memory of others.",
            ),
          )
        : claim(process.shmem, "exact", t("RssShmem of the process: shared memory and tmpfs that it has mapped.")),
  };
}

function fileOfOne({ rss, anon, file, shmem }: ProcessMemory): Claim {
  if (file !== undefined) {
    const how = t(
      "RssFile of the process: Python, its libraries and mapped files. Other programs may use the same pages.",
    );
    return claim(file, "exact", how);
  }
  if (anon !== undefined && shmem === undefined) {
    const how = t("RSS less the anonymous memory: this kernel counts mapped files and shared memory together.");
    return claim(Math.max(0, rss - anon), "estimated", how);
  }
  return unknown(
    t("The kernel does not report it separately; it is in the run's heap, or in the libraries of other programs."),
  );
}

function ofMany(run: readonly ProcessMemory[], anonGrown: number | undefined): RunShare {
  const split = run.some(({ file }) => file !== undefined);
  const splitShmem = run.some(({ shmem }) => shmem !== undefined);
  return {
    anon: anonOfMany(run, anonGrown),
    file: split
      ? claim(
          largest(run.map(({ file }) => file)),
          "estimated",
          t(
            "The largest RssFile of {0} processes, which share their libraries. Too small by files that only another of them has mapped.",
            run.length,
          ),
        )
      : unknown(t("The kernel does not report it separately.")),
    shmem: splitShmem
      ? claim(
          largest(run.map(({ shmem }) => shmem)),
          "estimated",
          t(
            "The largest RssShmem of {0} processes, which share it. Too small by what only another of them has mapped.",
            run.length,
          ),
        )
      : unknown(t("The kernel does not report it separately.")),
  };
}

/**
 * Forked processes share pages, which RssAnon counts in each of them. PSS does not, but it takes so long to read that it
 * is seconds or minutes old, while the kernel's total is of this moment: its growth goes first.
 */
function anonOfMany(run: readonly ProcessMemory[], grown: number | undefined): Claim {
  const most = run.reduce((total, { anon, rss }) => total + wholeBytes(anon ?? rss), 0);
  const least = largest(run.map(({ anon, uss }) => anon ?? uss));
  if (grown !== undefined) {
    const how = t(
      "What all programs' own memory (AnonPages) grew by since the moment before the run, less what other programs grew by; at least what the largest of its {0} processes holds, at most what they hold in all. RssAnon counts pages that forked processes share in each.",
      run.length,
    );
    return claim(Math.min(most, Math.max(least, grown)), "inferred", how);
  }
  if (run.every(({ pss }) => pss !== undefined)) {
    const how = t(
      "From the proportional share (PSS) of {0} processes, which counts a page they share once. May be a little too small where their libraries are used by other programs too.",
      run.length,
    );
    const bytes = run.reduce((total, process) => total + anonOf(process, run.length), 0);
    return claim(bytes, "estimated", how);
  }
  const how = t(
    "The own memory of {0} processes (RssAnon) added up, as their proportional share (PSS) is not known. Too large by what forked processes still share.",
    run.length,
  );
  return { bytes: most, firm: least, sureness: "estimated", how };
}

/**
 * A process's part of the anonymous memory of `sharers` processes. Its PSS holds its part of file pages too: that is
 * taken to be an equal share, as processes of one script map the same libraries.
 */
function anonOf({ rss, anon, file, shmem, pss, uss }: ProcessMemory, sharers: number): number {
  const most = wholeBytes(anon ?? rss);
  const mapped = wholeBytes(file) + wholeBytes(shmem);
  const least = Math.max(0, wholeBytes(uss) - mapped);
  return Math.max(Math.min(least, most), Math.min(most, Math.floor(wholeBytes(pss) - mapped / sharers)));
}

function largest(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, wholeBytes(value)), 0);
}

function claim(bytes: number, sureness: Sureness, how: string): Claim {
  return { bytes: wholeBytes(bytes), firm: wholeBytes(bytes), sureness, how };
}

function unknown(how: string): Claim {
  return { bytes: undefined, firm: 0, sureness: "unknown", how };
}
