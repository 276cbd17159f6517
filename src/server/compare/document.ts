/** A comparison as its page shows it. */
import { lineLabel, mainChange, told } from "../../compare/label.ts";
import type { ComparedFile, ComparedLine, Comparison, Side } from "../../compare/model.ts";
import { defined } from "../../profile/defined.ts";
import { inTurns } from "../../profile/files/inTurns.ts";
import { heaviest } from "../../profile/lines/heaviest.ts";
import { originName } from "../../profile/run/origin.ts";
import { runTitle } from "../../profile/run/runJson.ts";
import { printable } from "../../profile/text/text.ts";
import { type CompareDocument, type CompareLine, type CompareSide, MAX_LINES } from "../../protocol/compare.ts";
import { startOf } from "../../runs/list/startOf.ts";
import type { Keeping } from "../../runs/model.ts";
import { TEXT_LENGTH } from "../lines/views.ts";

export interface KeptBeside {
  /** Of the first run of each side; undefined before where one run's repeats are shown by themselves. */
  readonly before: Keeping | undefined;
  readonly after: Keeping;
}

export async function compareDocument(comparison: Comparison, kept: KeptBeside): Promise<CompareDocument> {
  const { metric, peak, cudaPeak, boardPeak, baseline, elapsedMs, ledger, files, notes } = comparison;
  const moving: Weighed[] = [];
  // One file after the other, so that others get their turn.
  for (const file of files) for (const line of await weighed(file)) moving.push(line);
  const lines = await inOrder(moving);
  return {
    metric,
    ...defined({ before: kept.before === undefined ? undefined : sideOf(comparison.before, kept.before) }),
    after: sideOf(comparison.after, kept.after),
    peak,
    cudaPeak,
    boardPeak,
    baseline,
    elapsedMs,
    ledger,
    lines,
    linesLeft: moving.length - lines.length,
    notes,
    flame: kept.before !== undefined && [comparison.before, comparison.after].every(isMassif),
  };
}

const isMassif = ({ runs }: Side): boolean => runs.every(({ run }) => run.engine.name === "massif");

function sideOf({ runs, folders }: Side, { label, git }: Keeping): CompareSide {
  const [first] = runs;
  const { board } = first?.run ?? {};
  const [folder = ""] = folders;
  const started = first && startOf({ ...first.run, folder }, new Date())?.toISOString();
  const { origin } = first ?? {};
  const place = origin === undefined ? board?.hostname : originName(origin, board?.simulated);
  return {
    name: label.name ?? (first === undefined ? "" : runTitle(first.run)),
    ...defined({ started, board: place }),
    simulated: origin?.simulated === true || board?.simulated !== undefined,
    ...defined({
      commit: git === undefined ? undefined : { name: git.commit.slice(0, 8), changed: git.changed.length },
    }),
    runs: folders.length,
  };
}

interface Weighed {
  readonly path: string;
  readonly line: ComparedLine;
  /** Bytes of the change, and of the figure afterwards. */
  readonly moved: number;
  readonly size: number;
}

/** Lines that took something on a side; each is weighed once, as there may be very many. */
async function weighed({ path, lines }: ComparedFile): Promise<readonly Weighed[]> {
  const found = await inTurns(lines, (line): Weighed | undefined => {
    if (lineLabel(line) === "") return undefined;
    const size = Math.abs(told(line)[0].difference.after?.median ?? 0);
    return { path, line, moved: Math.abs(mainChange(line) ?? 0), size };
  });
  return found.filter((line) => line !== undefined);
}

/** The heaviest: largest change first, then the largest figure. */
async function inOrder(lines: readonly Weighed[]): Promise<readonly CompareLine[]> {
  const most = heaviest(
    lines,
    MAX_LINES,
    ({ moved }) => moved,
    ({ size }) => size,
  );
  const sorted = [...most].sort((a, b) => b.moved - a.moved || b.size - a.size);
  return await inTurns(sorted, ({ path, line: { hits: _hits, nets: _nets, ...line } }) => {
    return { ...line, path, text: printable(line.text.trim()).slice(0, TEXT_LENGTH) };
  });
}
