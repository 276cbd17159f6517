/** Why a run ran out of memory: from how it ended, what it printed and what was recorded of it. */

import { defined } from "../../profile/defined.ts";
import type { Exit, RunInfo } from "../../profile/model.ts";
import { formatBytes } from "../../profile/text/format.ts";
import { printableLines } from "../../profile/text/text.ts";
import { parseCudaOom } from "../../torch/oomMessage.ts";
import { fromHelper } from "../../words/fromHelper.ts";
import { sentences, t } from "../../words/t.ts";
import type { Moment } from "../moments/model.ts";
import { type FailedRank, outputOfRanks } from "./failedRank.ts";
import { hasSwapLeft, isTight, lastMoments, type Moments, shownMoment, tightest } from "./lastMoments.ts";
import type { MemoryMessage } from "./messages.ts";
import type { EndingKind, EndingReport } from "./model.ts";
import { type EndingStack, NO_STACK, recordedStack, type Sources, tracebackStack } from "./stack.ts";
import { meaningOf, whatHappened } from "./words.ts";

export interface EndingInput extends Sources {
  readonly run: RunInfo;
  /** CPU and GPU share one memory, as on a Jetson. */
  readonly sharedMemory: boolean;
  /** The last part of the script's error output; bytes that are no UTF-8 may be in it as U+FFFD. */
  readonly stderr: string;
  readonly moments?: Moments;
}

/** Undefined where the run goes on, ended well, was cancelled, or failed for another reason than memory. */
export function explainEnding(input: EndingInput): EndingReport | undefined {
  const { run } = input;
  const { exit } = run;
  if (run.state === "running" || exit === undefined) return undefined;
  switch (exit.kind) {
    case "cancelled":
    case "not-started":
      return undefined;
    case "out-of-memory":
      return killedByKernel(input, exit);
    case "lost":
      return lost(input);
    case "signalled":
      return exit.signal === "SIGKILL" ? killed(input) : failed(input, true);
    case "exited":
      // An error that a script got over and ended well after has not ended it.
      return exit.code === 0 ? undefined : failed(input, false);
  }
}

function killedByKernel(input: EndingInput, exit: Exit & { kind: "out-of-memory" }): EndingReport {
  const kernelLog = (exit.kernelLog ?? []).map((line) => printableLines(line));
  const kind = reachedLimit(kernelLog, exit.evidence, input.moments) ? "memory-limit" : "kernel-out-of-memory";
  // The board's own count also rises when another program was ended at the same time.
  const certain =
    kernelLog.length > 0 || (kind !== "memory-limit" && !/\/proc\/vmstat/.test(exit.evidence ?? "/proc/vmstat"));
  return {
    ...report(input, kind, recordedStack(input.run, input)),
    sureness: certain ? "exact" : "inferred",
    kernelLog,
    ...defined({ evidence: exit.evidence === undefined ? undefined : printableLines(fromHelper(exit.evidence)) }),
  };
}

/** Of the RAM: with this much available it was not the board that ran out. */
const PLENTY = 0.15;

/**
 * The kernel's log tells a limit from the board's end. The count of kills in the run's own memory group rises in both
 * cases; what was available then is left to tell.
 */
function reachedLimit(
  kernelLog: readonly string[],
  evidence: string | undefined,
  moments: Moments | undefined,
): boolean {
  if (kernelLog.length > 0) return kernelLog.some((line) => /memory cgroup out of memory|CONSTRAINT_MEMCG/i.test(line));
  const { MemAvailable: available, MemTotal: total } = tightest(lastMoments(moments))?.meminfo ?? {};
  const inGroup = evidence !== undefined && /memory group/.test(evidence);
  return inGroup && available !== undefined && total !== undefined && available > PLENTY * total;
}

function killed(input: EndingInput): EndingReport {
  return { ...report(input, "killed", recordedStack(input.run, input)), sureness: "inferred" };
}

/** The recording broke off. It tells of memory only where that was nearly used up. */
function lost(input: EndingInput): EndingReport | undefined {
  const last = tightest(lastMoments(input.moments));
  if (last === undefined || !isTight(last)) return undefined;
  const found = report(input, "killed", recordedStack(input.run, input));
  return {
    ...found,
    headline:
      found.place === undefined
        ? t("The recording broke off while memory was nearly used up.")
        : t("The recording broke off at {0}:{1} while memory was nearly used up.", found.place.path, found.place.line),
    sureness: "inferred",
  };
}

/** The script ended itself, or crashed; `crashed`: then what was recorded last is where it did. */
function failed(input: EndingInput, crashed: boolean): EndingReport | undefined {
  const { run } = input;
  const { failed: rank, said } = outputOfRanks(input.stderr, run);
  if (rank?.killed === true && said === undefined) return killedRank(input, rank);
  const recorded = crashed ? recordedStack(run, input) : NO_STACK;
  if (said !== undefined) {
    const stack = said.raised === undefined ? recorded : tracebackStack(said.raised.frames, run, input);
    return ofRank(rank, ofMessage(input, said, stack));
  }
  const warning = warningOf(run, "massif-out-of-memory");
  if (warning === undefined) return undefined;
  const found = report(input, "memory-error", recordedStack(run, input));
  return { ...found, headline: t("{0}.", placed(t("Valgrind could get no more memory"), found)), sureness: "exact" };
}

/** A process of the program that a launcher started was killed, and the launcher ended the others. */
function killedRank(input: EndingInput, { rank }: FailedRank): EndingReport {
  const byKernel = warningOf(input.run, "out-of-memory");
  const kind = byKernel === undefined ? "killed" : "kernel-out-of-memory";
  const found = report(input, kind, rank === undefined ? NO_STACK : recordedStack(input.run, input, rank));
  const who = rank === undefined ? t("A worker process was killed") : t("Rank {0} was killed", rank);
  return {
    ...found,
    headline: t("{0}, and the run ended with it.", placed(who, found)),
    sureness: "inferred",
    ...defined({ rank, evidence: byKernel === undefined ? undefined : printableLines(byKernel) }),
  };
}

function ofRank(failed: FailedRank | undefined, found: EndingReport): EndingReport {
  const rank = failed?.rank;
  return rank === undefined ? found : { ...found, rank, headline: t("Rank {0}: {1}", rank, found.headline) };
}

function ofMessage(input: EndingInput, said: MemoryMessage, stack: EndingStack): EndingReport {
  const byKernel = said.kind === "killed" ? warningOf(input.run, "out-of-memory") : undefined;
  const kind = byKernel === undefined ? said.kind : "kernel-out-of-memory";
  const allocator = parseCudaOom(said.text);
  const found = report(input, kind, stack);
  const headline =
    kind === "killed" || byKernel !== undefined
      ? t("{0}, and the run ended with it.", placed(t("A worker process was killed"), found))
      : found.headline;
  return {
    ...found,
    headline: said.then === undefined ? headline : sentences(headline, t("Then it failed with {0}.", brief(said.then))),
    // Words outside an exception may be of an error that was got over.
    sureness: said.raised !== undefined && kind !== "killed" ? "exact" : "inferred",
    message: printableLines(said.text),
    ...defined({ evidence: byKernel === undefined ? undefined : printableLines(byKernel), allocator }),
  };
}

function report(input: EndingInput, kind: EndingKind, stack: EndingStack): EndingReport {
  const last = lastMoments(input.moments);
  const massif = warningOf(input.run, "massif-out-of-memory");
  const happened = placed(whatHappened(kind), stack);
  return {
    kind,
    headline: t("{0}.", kind === "killed" ? withLeft(happened, last.at(-1)) : happened),
    // Under valgrind the memory is valgrind's too, and the run's own warning says what to do about it.
    meaning:
      massif === undefined
        ? meaningOf(kind, input.sharedMemory, tightest(last), input.run.elapsedMs, last.at(-1))
        : printableLines(massif),
    sureness: "exact",
    ...stack,
    kernelLog: [],
    last: last.map(shownMoment),
  };
}

/** A sentence without its end, with where it happened. */
function placed(what: string, { place }: Pick<EndingReport, "place">): string {
  return place === undefined ? what : t("{0} at {1}:{2}", what, place.path, place.line);
}

function withLeft(what: string, last: Moment | undefined): string {
  const available = last?.meminfo["MemAvailable"];
  return last !== undefined && available !== undefined && isTight(last) && !hasSwapLeft(last)
    ? t("{0}, when {1} of memory were left", what, formatBytes(available))
    : what;
}

function warningOf(run: RunInfo, code: string): string | undefined {
  const found = run.warnings.find((warning) => warning.code === code)?.message;
  return found === undefined ? undefined : fromHelper(found);
}

function brief(text: string): string {
  const line = printableLines(text);
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
