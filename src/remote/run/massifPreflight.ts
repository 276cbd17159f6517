/** Whether a script is likely to get through a run under valgrind, judged before anything is sent or started. */
import { isOlder } from "../../board/parse/version.ts";
import type { BoardIdentity } from "../../profile/model.ts";
import { formatBytes } from "../../profile/text/format.ts";
import { printable } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import type { MassifRequest, RiskQuestion } from "../../protocol/run/run.ts";
import { phrase, say, sentences, t } from "../../words/t.ts";

/** What the board said of itself; what it could not tell is absent. Sizes are bytes. */
export interface BoardFacts {
  readonly name: string;
  readonly board: BoardIdentity;
  /** Of `valgrind`, `python` and `torch`. */
  readonly versions: Readonly<Record<string, string>>;
  readonly memAvailable?: number;
  readonly swapFree?: number;
  /** The interpreter has the lock that lets one thread run at a time; false for free-threaded builds. */
  readonly gil?: boolean;
  /** A program may make memory executable; false where the system, as SELinux, forbids it. */
  readonly execMemory?: boolean;
}

const MIB = 1024 * 1024;

/**
 * Memory that valgrind needs beside the script's own, as measured with valgrind 3.19 on x86-64: docs/troubleshooting.md,
 * "Profiling with Massif needs more memory than the board has". Python's frames took 106 MiB with PyTorch and 26 MiB
 * with NumPy (docs/benchmarks.md); a project of more files has more of them, so half as much again is reckoned with.
 */
const NEED = {
  torch: { heap: 950 * MIB, pages: 270 * MIB, frames: 160 * MIB },
  other: { heap: 100 * MIB, pages: 65 * MIB, frames: 40 * MIB },
} as const;
/** RSS of a small script that does nothing but import its libraries, where no earlier run says more. */
const LEAST = { torch: 250 * MIB, other: 40 * MIB } as const;

/** A program whose RSS stays below this has not loaded PyTorch, whether it is installed or not. */
const LEAST_WITH_TORCH = 100 * MIB;

const INSTALL = phrase("Install it on the board: sudo apt-get install valgrind.");

/**
 * @returns the question to ask before the run is started; undefined where nothing speaks against it
 * @throws UserError `valgrind-missing`, `valgrind-refused`
 */
export function preflight(request: MassifRequest, facts: BoardFacts): RiskQuestion | undefined {
  if (facts.execMemory === false) {
    throw new UserError(
      "valgrind-refused",
      t(
        "The system of {0} does not let programs make memory executable, and valgrind, which the massif engine needs, runs everything from such memory.",
        facts.name,
      ),
      t(
        "Choose the line engine, which does without, or allow it on the board (with SELinux: sudo setsebool allow_execmem on).",
      ),
    );
  }
  if (facts.versions["valgrind"] === undefined) {
    throw new UserError(
      "valgrind-missing",
      t("Valgrind is not installed on {0}, or does not answer, and the massif engine needs it.", facts.name),
      say(INSTALL),
    );
  }
  const risks = [memoryRisk(request, facts), processorRisk(facts), framesRisk(request, facts)].filter(
    (risk) => risk !== undefined,
  );
  if (risks.length === 0) return undefined;
  return {
    message: sentences(...risks.map((risk) => risk.message)),
    suggestions: risks.flatMap((risk) => risk.suggestions),
  };
}

/** What the run needs, bytes: the script's own memory and valgrind's. */
export function expectedNeed(request: MassifRequest, torch: boolean): number {
  const need = NEED[torch ? "torch" : "other"];
  const own = request.expected?.rssPeak ?? LEAST[torch ? "torch" : "other"];
  return own + (request.pagesAsHeap ? need.pages : need.heap + (request.frames ? need.frames : 0));
}

function memoryRisk(
  request: MassifRequest,
  { versions, memAvailable, swapFree, name }: BoardFacts,
): RiskQuestion | undefined {
  if (memAvailable === undefined) return undefined;
  const room = memAvailable + (swapFree ?? 0);
  const { rssPeak } = request.expected ?? {};
  const torch = versions["torch"] !== undefined && (rssPeak === undefined || rssPeak >= LEAST_WITH_TORCH);
  const need = expectedNeed(request, torch);
  if (need <= room) return undefined;
  const basis =
    rssPeak === undefined
      ? t("at least that{0}; no earlier run says what the script itself needs", torch ? t(" with PyTorch") : "")
      : t("the script's own {0} in its last run, and the rest for valgrind", formatBytes(rssPeak));
  const swap = swapFree === undefined ? "" : t(" and {0} of swap", formatBytes(swapFree));
  const inPages = expectedNeed({ ...request, pagesAsHeap: true }, torch);
  const withoutFrames = expectedNeed({ ...request, frames: false }, torch);
  return {
    message: t(
      "Under valgrind this run is expected to need about {0} ({1}), but {2} has {3} of memory{4} free. It may be ended by the kernel before it is done.",
      formatBytes(need),
      basis,
      name,
      formatBytes(memAvailable),
      swap,
    ),
    suggestions: [
      t("Profile fewer or smaller batches."),
      ...(inPages < need ? [t("Count mapped pages instead of heap blocks: about {0}.", formatBytes(inPages))] : []),
      ...(withoutFrames < need && torch
        ? [t("Leave Python's lines out of the stacks: about {0}.", formatBytes(withoutFrames))]
        : []),
      t("End other programs on the board, or add swap."),
    ],
  };
}

/** Boards whose processor has none of the instructions that came after the first 64-bit ones. */
const FIRST_GENERATION = /\b(nano|tx1|tx2|quill)\b/i;
const LATER_GENERATION = /\b(orin|xavier|agx|thor)\b/i;

function processorRisk({ board, versions }: BoardFacts): RiskQuestion | undefined {
  const { valgrind = "" } = versions;
  if (board.machine !== "aarch64" || isOlder(valgrind, [3, 15]) === false) return undefined;
  const { model = "" } = board;
  if (FIRST_GENERATION.test(model) && !LATER_GENERATION.test(model)) return undefined;
  return {
    message: t(
      "Valgrind {0} does not hide from libraries the processor's newer instructions that it does not know itself (atomics, dot products). The script may end with an illegal instruction (SIGILL).",
      printable(valgrind),
    ),
    suggestions: [t("Install valgrind 3.18 or newer on the board.")],
  };
}

function framesRisk(request: MassifRequest, { versions, gil }: BoardFacts): RiskQuestion | undefined {
  if (!request.frames) return undefined;
  const { python = "" } = versions;
  const tooNew = isOlder(python, [3, 16]) === false;
  if (!tooNew && gil !== false) return undefined;
  return {
    message: t(
      "The board's Python {0}{1} cannot have its lines put into the native stacks; those will show only what valgrind sees by itself.",
      printable(python),
      tooNew ? "" : t(", a free-threaded build,"),
    ),
    suggestions: [t("Choose a standard Python from 3.6 to 3.15 for this run.")],
  };
}
