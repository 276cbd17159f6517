/** What the massif page shows: the document of a file or of a run, and the trees it then asks for. */

import * as path from "node:path";
import { countsPages, sampledMean } from "../../massif/counted.ts";
import { openMassif } from "../../massif/node/massifSource.ts";
import { measuredTreeFile } from "../../massif/node/sidecars.ts";
import { labelFacts } from "../../massif/tree/frames.ts";
import { defined } from "../../profile/defined.ts";
import { hasNativeStacks } from "../../profile/run/nativeStacks.ts";
import { processName } from "../../profile/run/processName.ts";
import { type RunHead, readRunHead } from "../../profile/run/runHead.ts";
import { runTitle } from "../../profile/run/runJson.ts";
import { UserError } from "../../profile/userError.ts";
import type { DocumentFile, DocumentLine, MassifDocument, TreeRef, WireTree } from "../../protocol/massif/massif.ts";
import type { MassifSource } from "../../protocol/server.ts";
import { t } from "../../words/t.ts";
import { boardName } from "../board/boardName.ts";
import { comparedProcesses } from "./comparedRuns.ts";
import { notes } from "./notes.ts";
import type { MassifProcess, MassifProcesses } from "./processes.ts";
import { type NamedProcess, runProcesses } from "./runProcesses.ts";
import { wireTree } from "./wireTree.ts";

export interface MassifDocuments {
  /** @throws UserError `massif-none` and as MassifProcesses.open */
  document(source: MassifSource): Promise<MassifDocument>;
  /** A tree of the document that was given last. @throws UserError `massif-no-tree`, `massif-changed` and others */
  tree(source: MassifSource, ref: TreeRef): Promise<WireTree>;
}

/** A document that was given, with what its numbers stand for. */
interface Given {
  readonly document: MassifDocument;
  readonly processes: readonly MassifProcess[];
  /** Whose each line of the document is. */
  readonly lines: readonly {
    readonly process: MassifProcess;
    readonly line: MassifProcess["measured"]["lines"][number];
  }[];
}

/** Documents in view; each holds its files' indexes. */
const KEPT = 8;

export function createMassifDocuments(processes: MassifProcesses): MassifDocuments {
  const given = new Map<string, Given>();

  async function give(source: MassifSource): Promise<Given> {
    const found = await open(processes, source);
    const key = JSON.stringify(source);
    given.delete(key);
    given.set(key, found);
    const oldest = given.keys().next().value;
    if (given.size > KEPT && oldest !== undefined) given.delete(oldest);
    return found;
  }

  return {
    async document(source) {
      return (await give(source)).document;
    },
    async tree(source, ref) {
      const { processes: files, lines } = given.get(JSON.stringify(source)) ?? (await give(source));
      if (ref.kind === "snapshot") {
        const process = files[ref.file];
        if (process === undefined) throw noTree();
        const calls = await process.tree(ref.snapshot);
        const sampled = await process.sampled(ref.snapshot, calls);
        return wireTree(calls, labelFacts(calls.labels, process.names), sampled);
      }
      const measured = lines[ref.line];
      const number = measured?.line.executions[ref.execution]?.tree;
      if (measured === undefined || number === undefined) throw noTree();
      const around = await openMassif(measuredTreeFile(measured.process.path, number, ref.side));
      const calls = await around.tree(around.file.snapshots.length - 1);
      return wireTree(calls, labelFacts(calls.labels, measured.process.names));
    },
  };
}

function noTree(): UserError {
  return new UserError(
    "massif-no-tree",
    t("These stacks are no longer there."),
    t("Open the flame view again to see what the run holds now."),
  );
}

async function open(processes: MassifProcesses, source: MassifSource): Promise<Given> {
  switch (source.kind) {
    case "run":
      return ofRun(processes, source.folder);
    case "runs":
      return ofTwoRuns(processes, source);
    case "file":
      return ofFile(processes, source.path);
  }
}

async function ofTwoRuns(
  processes: MassifProcesses,
  { before, after }: Extract<MassifSource, { kind: "runs" }>,
): Promise<Given> {
  const { sides, pairs, left } = await comparedProcesses(processes, before, after);
  if (pairs.length === 0) {
    const none = t("There is no process that both runs have call stacks of, so there is no difference to show.");
    throw new UserError("massif-none", [none, ...left].join(" "), t("Open the flame view of each run by itself."));
  }
  const given = await assemble([...sides.before.named, ...sides.after.named], undefined, left);
  const [old, now] = [sides.before, sides.after].map(({ head }) => runTitle(head.run));
  const title = old === now ? t("Two runs of {0}", now ?? "") : `${old} → ${now}`;
  const board = boardName(sides.after.head);
  const both = await Promise.all(
    [sides.before, sides.after].map(async ({ side, named, head }) => {
      const said = await notes(
        named.map(({ process }) => process),
        head,
      );
      return said.map((note) => `${side}: ${note}`);
    }),
  );
  // Lines measured before and after are in each run's own view.
  const document = { ...given.document, title, pairs, lines: [], notes: [...left, ...both.flat()] };
  return { ...given, lines: [], document: board === undefined ? document : { ...document, board } };
}

async function ofRun(processes: MassifProcesses, folder: string): Promise<Given> {
  const head = await readRunHead(folder);
  const { opened, left } = await runProcesses(processes, folder, head);
  if (opened.length === 0) {
    const none =
      head.run.state === "running" && head.run.engine.name !== "massif" && hasNativeStacks(head.run.engine)
        ? t("The native stacks of this run come when it ends.")
        : head.run.state === "running"
          ? t("The run has written no massif file yet. The first one comes a few seconds after the script starts.")
          : t("The run holds no massif file that can be read.");
    throw new UserError("massif-none", [none, ...left].join(" "));
  }
  // After the others, whose places in the document links know.
  const gpu = await runProcesses(processes, folder, head, "gpu");
  return assemble([...opened, ...gpu.opened], head, [...left, ...gpu.left]);
}

async function ofFile(processes: MassifProcesses, file: string): Promise<Given> {
  const process = await processes.open(file);
  // A file that lies in a run folder, as our runs name it, is shown with what the run knows of it.
  const head = process.pid === undefined ? undefined : await readRunHead(path.dirname(file)).catch(() => undefined);
  const name = head === undefined ? path.basename(file) : processName(head.run, process.pid);
  return assemble([{ name, process }], head, []);
}

async function assemble(
  named: readonly NamedProcess[],
  head: RunHead | undefined,
  left: readonly string[],
): Promise<Given> {
  const processes = named.map(({ process }) => process);
  const lines = processes.flatMap((process) => process.measured.lines.map((line) => ({ process, line })));
  const [first] = processes;
  const board = head === undefined ? undefined : boardName(head);
  return {
    processes,
    lines,
    document: {
      title: head === undefined ? path.basename(first?.path ?? "") : runTitle(head.run),
      ...defined({ board }),
      files: named.map(({ name, process }) => documentFile(process, name)),
      lines: lines.map(({ process, line }) => documentLine(processes.indexOf(process), line)),
      notes: [...left, ...(await notes(processes, head))],
    },
  };
}

function documentFile({ file, names, bands, memory }: MassifProcess, name: string): DocumentFile {
  const mean = sampledMean(file);
  return {
    ...(mean === undefined ? {} : { sampled: mean }),
    name,
    command: file.command,
    description: file.description,
    timeUnit: file.timeUnit,
    pagesAsHeap: countsPages(file),
    ...(memory === "gpu" ? { gpu: true } : {}),
    frames: names.level,
    snapshots: file.snapshots.map(({ number, time, heap, extra, stacks, tree }, place) => {
      const nodes = tree.kind === "none" ? 0 : tree.nodes;
      return { number, time, heap, extra, stacks, tree: tree.kind, nodes, ...defined({ band: bands?.[place] }) };
    }),
    problems: file.problems,
  };
}

function documentLine(file: number, line: Given["lines"][number]["line"]): DocumentLine {
  return {
    file,
    place: { path: line.path, line: line.line },
    function: line.function,
    hits: line.hits,
    measured: line.measured,
    net: line.net,
    ...defined({ noise: line.noise }),
    executions: line.executions.map(({ hit, before, after, noise, tree }) => {
      return { hit, before, after, ...defined({ noise }), stacks: tree !== undefined };
    }),
  };
}
