/**
 * Which rank of a program that a launcher started several times failed, and what it printed itself. Launchers write
 * that at the end of the same error output; torchrun's tables are of PyTorch 1.10 to 2.9. The text is untrusted. Pure.
 */
import type { RunInfo } from "../../profile/model.ts";
import { ranksOf } from "../../profile/ranks/ranks.ts";
import { lastMemoryMessage, type MemoryMessage } from "./messages.ts";
import { lastTracebacks } from "./traceback.ts";

export interface FailedRank {
  /** Absent where the launcher does not say which. */
  readonly rank?: number;
  /** By SIGKILL. */
  readonly killed: boolean;
}

export interface RankOutput {
  /** Absent where no launcher says that one failed, or several did and it is not known which did first. */
  readonly failed?: FailedRank;
  /** What the program printed, without the launcher's own words; of the failed rank alone where lines say whose they are. */
  readonly text: string;
  /** What the text says last of memory; undefined where it says nothing of it. */
  readonly said?: MemoryMessage;
}

/**
 * A rank that says itself that memory could not be had comes before one that was killed: launchers kill the others.
 */
export function outputOfRanks(stderr: string, run: Pick<RunInfo, "processes" | "exit">): RankOutput {
  const end = torchrunEnd(stderr) ?? mpiEnd(stderr) ?? endWithoutWords(stderr, run);
  if (end === undefined) return withMessage(stderr, lastMemoryMessage(stderr));
  const { text } = end;
  const failed = each(end.failed);
  const raised = failed.filter((one) => !one.killed);
  const own = linesByRank(text);
  for (const one of raised) {
    const lines = own.get(one.rank);
    const said = lines === undefined ? undefined : lastMemoryMessage(lines);
    if (lines !== undefined && said !== undefined) return { failed: one, text: lines, said };
  }
  const said = anyMemoryMessage(text);
  const [only, ...others] = raised;
  const killed = failed.find((one) => one.killed);
  const named = said !== undefined && only !== undefined ? (others.length === 0 ? only : undefined) : killed;
  const first = named ?? (said === undefined && others.length === 0 ? only : undefined);
  const lines = first === undefined ? undefined : own.get(first.rank);
  return { ...(first !== undefined && { failed: first }), ...withMessage(lines ?? text, said) };
}

const withMessage = (text: string, said: MemoryMessage | undefined): Pick<RankOutput, "text" | "said"> => ({
  text,
  ...(said !== undefined && { said }),
});

/** More than a board runs. */
const MOST_RANKS = 256;

/** Each once. */
function each(failed: readonly FailedRank[]): readonly FailedRank[] {
  const found = new Map<number | undefined, FailedRank>();
  for (const one of failed) if (!found.has(one.rank) && found.size < MOST_RANKS) found.set(one.rank, one);
  return [...found.values()];
}

interface LauncherEnd {
  /** In the order in which the launcher saw them, as far as it tells. */
  readonly failed: readonly FailedRank[];
  /** Up to the launcher's own words. */
  readonly text: string;
}

const SIGKILL = 9;
const TORCHRUN = /^torch\.distributed\.elastic\.multiprocessing\.errors\.ChildFailedError:/gm;
const TORCHRUN_RANK = /^ *rank *: (\d{1,9}) \(local_rank: \d{1,9}\)\r?\n *exitcode *: (-?\d{1,5}) \(pid: \d{1,10}\)/gm;

/** Its table has the others first and the one that it saw first last; both may have been seen in one look. */
function torchrunEnd(stderr: string): LauncherEnd | undefined {
  const at = [...stderr.matchAll(TORCHRUN)].at(-1)?.index;
  if (at === undefined) return undefined;
  const rows = [...stderr.slice(at).matchAll(TORCHRUN_RANK)].map(([, rank, code]) => ({
    rank: Number(rank),
    killed: Number(code) === -SIGKILL,
    ended: Number(code) === -15, // by torchrun, as another one failed
  }));
  const failed = rows.filter(({ ended }) => !ended).map(({ rank, killed }) => ({ rank, killed }));
  const begin = stderr.lastIndexOf("Traceback (most recent call last):", at);
  return { failed: failed.reverse(), text: stderr.slice(0, begin < 0 ? at : begin) };
}

// Open MPI's wraps its lines.
const OPEN_MPI_SIGNAL =
  /noticed that process rank (\d{1,9})\s{1,9}with PID \d{1,10}\s{1,9}on node\s{1,9}\S{1,255}\s{1,9}exited\s{1,9}on\s{1,9}signal\s{1,9}(\d{1,3})\b/g;
const OPEN_MPI_CODE = /^[ \t]{0,99}Process name: \[[^\n]{1,255},(\d{1,9})\]\s{1,99}Exit code: {1,99}(\d{1,5})/gm;
const SLURM =
  /^srun: error: \S{1,255}: tasks? (\d{1,9})[-,\d]*: (Killed|Out Of Memory|Exited with exit code \d{1,5})/gm;

/** Further up they may be of a step that was tried again. */
const NEAR_THE_END = 16 * 1024;

function mpiEnd(stderr: string): LauncherEnd | undefined {
  const last = stderr.slice(-NEAR_THE_END);
  const all = (pattern: RegExp) => [...last.matchAll(pattern)];
  const failed = [
    ...all(OPEN_MPI_SIGNAL).map(([, rank, signal]) => ({ rank: Number(rank), killed: Number(signal) === SIGKILL })),
    ...all(OPEN_MPI_CODE).map(([, rank, code]) => ({ rank: Number(rank), killed: isKilled(Number(code)) })),
    ...all(SLURM).map(([, rank, how = ""]) => ({ rank: Number(rank), killed: !how.startsWith("Exited") })),
  ];
  return failed.length === 0 ? undefined : { failed, text: stderr };
}

/** As a shell tells it, or by the signal's number alone. */
const isKilled = (code: number): boolean => code === SIGKILL || code === 128 + SIGKILL;

/**
 * MPICH and shell scripts end as the process did that was killed. MPICH's own words, in its standard output, name the
 * pid of one that it ended itself (4.0.2: of three ranks of which the third was killed, the second).
 */
function endWithoutWords(
  stderr: string,
  { processes, exit }: Pick<RunInfo, "processes" | "exit">,
): LauncherEnd | undefined {
  const isOfRank = ranksOf({ processes }).length > 0 && exit?.kind === "exited" && isKilled(exit.code);
  return isOfRank ? { failed: [{ killed: true }], text: stderr } : undefined;
}

/** PyTorch from 2.2 on prints a rank's exception with its number before each line, torchrun's --tee does all of its output. */
const WHOSE = /^\[(?:rank|default)(\d{1,9})\]: ?(.*)$/gm;

function linesByRank(text: string): ReadonlyMap<number | undefined, string> {
  const found = new Map<number | undefined, string[]>();
  for (const [, number, line = ""] of text.matchAll(WHOSE)) {
    const rank = Number(number);
    const lines = found.get(rank);
    if (lines !== undefined) lines.push(line, "\n");
    else if (found.size < MOST_RANKS) found.set(rank, [line, "\n"]);
  }
  return new Map([...found].map(([rank, lines]) => [rank, lines.join("")]));
}

/** Exceptions that are looked through from the last one on: those of the other ranks come of the first. */
const MOST_EXCEPTIONS = 8;

function anyMemoryMessage(text: string): MemoryMessage | undefined {
  let rest = text;
  for (let looked = 0; looked < MOST_EXCEPTIONS; looked++) {
    const said = lastMemoryMessage(rest);
    const start = said === undefined ? lastTracebacks(rest)[0]?.start : undefined;
    if (said !== undefined || start === undefined) return said;
    rest = rest.slice(0, start);
  }
  return undefined;
}
