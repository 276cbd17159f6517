/** The massif files of two runs as one document: the same process of both side by side, and each by itself. */

import { matchSources, type SourceFile, type SourceMatch } from "../../compare/matching/sourceMatch.ts";
import { laterPlace } from "../../compare/matching/stacks.ts";
import { peakPlace } from "../../massif/snapshots.ts";
import { defined } from "../../profile/defined.ts";
import { openRunFolder } from "../../profile/run/runFolder.ts";
import { type RunHead, readRunHead } from "../../profile/run/runHead.ts";
import { sourceLines } from "../../profile/text/text.ts";
import type { MassifDocument } from "../../protocol/massif/massif.ts";
import { t } from "../../words/t.ts";
import type { MassifProcesses } from "./processes.ts";
import { type NamedProcess, runProcesses } from "./runProcesses.ts";

export interface ComparedSide {
  readonly side: "Before" | "After";
  readonly head: RunHead;
  readonly named: readonly NamedProcess[];
}

export interface ComparedProcesses {
  /** In the document the earlier run's files come first; its Python lines are those of the later sources. */
  readonly sides: { readonly before: ComparedSide; readonly after: ComparedSide };
  readonly pairs: NonNullable<MassifDocument["pairs"]>;
  readonly left: readonly string[];
}

/** @throws UserError where a run cannot be read */
export async function comparedProcesses(
  processes: MassifProcesses,
  before: string,
  after: string,
): Promise<ComparedProcesses> {
  const [old, now] = await Promise.all([openRun(processes, before), openRun(processes, after)]);
  const match = matchSources(old.sources, now.sources);
  const olds = old.opened.map((each) => inLaterSources(each, match));
  return {
    sides: {
      before: {
        side: "Before",
        head: old.head,
        named: olds.map((each) => ({ ...each, name: t("before: {0}", each.name) })),
      },
      after: {
        side: "After",
        head: now.head,
        named: now.opened.map((each) => ({ ...each, name: t("after: {0}", each.name) })),
      },
    },
    pairs: pairsOf(olds, now.opened),
    left: [...old.left, ...now.left],
  };
}

async function openRun(processes: MassifProcesses, folder: string) {
  const [head, sources] = await Promise.all([readRunHead(folder), sourcesOf(folder)]);
  return { head, sources, ...(await runProcesses(processes, folder, head)) };
}

/** Measured lines are left to each run's own view. */
function inLaterSources({ name, process }: NamedProcess, match: SourceMatch): NamedProcess {
  const python = new Map([...process.names.python].map(([frame, place]) => [frame, laterPlace(place, match)]));
  return { name, process: { ...process, names: { ...process.names, python } } };
}

/** Processes of one name, at their peaks; one that has no stacks has nothing to compare. */
function pairsOf(olds: readonly NamedProcess[], nows: readonly NamedProcess[]): ComparedProcesses["pairs"] {
  return nows.flatMap(({ name, process }, place) => {
    const old = olds.findIndex((each) => each.name === name);
    const [from, to] = [olds[old]?.process, process].map((each) => each && peakPlace(each.file.snapshots));
    if (from === undefined || to === undefined) return [];
    return [{ name, before: { file: old, snapshot: from }, after: { file: olds.length + place, snapshot: to } }];
  });
}

async function sourcesOf(folder: string): Promise<SourceFile[]> {
  const reader = openRunFolder(folder);
  await reader.refresh();
  return Promise.all(
    reader.profile().files.map(async ({ path, sha256 }) => {
      const text = await reader.source(path);
      return { path, sha256, ...defined({ lines: text === undefined ? undefined : sourceLines(text) }) };
    }),
  );
}
