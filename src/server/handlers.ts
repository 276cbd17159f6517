/** What the server answers, apart from the connection it answers on. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { type LineMap, mapLines } from "../compare/matching/lineMap.ts";
import { defined } from "../profile/defined.ts";
import { present } from "../profile/files/jsonRecords.ts";
import { createGpuReader } from "../profile/gpu/gpuFiles.ts";
import { byMetric, metricOf } from "../profile/lines/metric.ts";
import { unfinishedCalls } from "../profile/lines/unfinished.ts";
import type { FileProfile, LineRow, Metric, Profile } from "../profile/model.ts";
import { ranksOf, TOGETHER } from "../profile/ranks/ranks.ts";
import { sampledMean } from "../profile/run/nativeStacks.ts";
import type { RunReader } from "../profile/run/runFolder.ts";
import { projectOfRun } from "../profile/run/runsFolder.ts";
import { highestRss, peakStretch, thinAround, thinSamples } from "../profile/samples/samples.ts";
import { sourceLines } from "../profile/text/text.ts";
import { phaseCosts } from "../profile/torch/phases.ts";
import type { CompareDocument, ComparedFolders } from "../protocol/compare.ts";
import type {
  LineDelta,
  LineDeltasResult,
  LineHistory,
  RunListEntry,
  RunSummary,
  RunTree,
  ServerRequests,
  TreeFile,
} from "../protocol/server.ts";
import { NOTHING_KEPT, readKeeping } from "../runs/keeping.ts";
import { createRunList } from "../runs/list/runList.ts";
import { createComparisons } from "./compare/comparisons.ts";
import { compareDocument } from "./compare/document.ts";
import { comparedHover } from "./compare/hover.ts";
import { type ComparedView, comparedDeltas, comparedLenses, comparedView } from "./compare/lines.ts";
import { lineHere } from "./lines/lineHere.ts";
import { lineHistory, runsAlike } from "./lines/lineHistory.ts";
import { type FunctionLens, functionLenses, inTreeOrder, lineDeltas, treeFile, treeLines } from "./lines/views.ts";
import { createMassifDocuments, type MassifDocuments } from "./massif/documents.ts";
import { filesWithFigures, type HeapFigures, heapFigures, lineStacks } from "./massif/heapFigures.ts";
import { heapHoverText } from "./massif/heapHover.ts";
import { byBytes, heapDeltas, heapFile, heapLenses } from "./massif/heapViews.ts";
import { createMassifProcesses } from "./massif/processes.ts";
import { runProcesses } from "./massif/runProcesses.ts";
import { type NativeFigures, sampledHover } from "./massif/sampledHover.ts";
import { createCellPaths, pathsNow } from "./notebook/cellPaths.ts";
import type { OpenNotebook } from "./notebook/openNotebooks.ts";
import { fileInProject, projectPath, samePath, uriToPath } from "./projectPath.ts";
import type { RunStore } from "./runs/runStore.ts";
import { createShownRun } from "./runs/shownRun.ts";

/** A document's text as the editor has it; `version` changes with it. */
export interface DocumentText {
  readonly version: number;
  readonly text: string;
}

export interface HandlerOptions {
  readonly store: RunStore;
  /** The open document; undefined where it is not open. */
  readonly openDocument: (uri: string) => DocumentText | undefined;
  /** The open notebook that the document of a cell is in. */
  readonly openNotebook?: (uri: string) => OpenNotebook | undefined;
  readonly platform: NodeJS.Platform;
}

/** What is shown of a run, where it is not all of it by itself. */
export type ShowMore = Omit<ServerRequests["jetsonMemprof/showRun"]["params"], "folder" | "metric">;

export interface Handlers {
  runs(folders: readonly string[]): Promise<readonly RunListEntry[]>;
  /** A run that cannot be read leaves what was shown. */
  showRun(folder: string | null, metric: Metric, more?: ShowMore): Promise<RunSummary | null>;
  /** The shown run's folder. */
  shown(): string | undefined;
  compare(folders: ComparedFolders, metric: Metric): Promise<CompareDocument>;
  runSummary(folder: string): Promise<RunSummary>;
  runTree(folder: string): Promise<RunTree>;
  runLines(folder: string, metric: Metric): Promise<ServerRequests["jetsonMemprof/runLines"]["result"]>;
  phases(folder: string): Promise<ServerRequests["jetsonMemprof/phases"]["result"]>;
  timeline(
    params: ServerRequests["jetsonMemprof/timeline"]["params"],
  ): Promise<ServerRequests["jetsonMemprof/timeline"]["result"]>;
  lineDeltas(uri: string): Promise<LineDeltasResult | null>;
  lineHistory(uri: string, line: number, signal: AbortSignal): Promise<LineHistory | null>;
  lineNow(
    params: ServerRequests["jetsonMemprof/lineNow"]["params"],
  ): Promise<ServerRequests["jetsonMemprof/lineNow"]["result"]>;
  cellNow(
    params: ServerRequests["jetsonMemprof/cellNow"]["params"],
  ): Promise<ServerRequests["jetsonMemprof/cellNow"]["result"]>;
  nativeStacks(uri: string, line: number): Promise<ServerRequests["jetsonMemprof/nativeStacks"]["result"]>;
  readonly massif: MassifDocuments;
  /** Markdown for a document's line (1-based). */
  hover(uri: string, line: number): Promise<string | null>;
  lenses(uri: string): Promise<{ readonly folder: string; readonly lenses: readonly FunctionLens[] } | null>;
  /** Does ahead what the next request for this document will need. */
  prepare(uri: string): Promise<void>;
  /** The document was closed. */
  forget(uri: string): void;
}

/** The shown run's view of a document. */
interface Match {
  readonly folder: string;
  readonly reader: RunReader;
  readonly profile: Profile;
  readonly file: FileProfile;
  /** What is shown of the run. */
  readonly metric: Metric;
  /** Of a massif run, whose lines have no RSS figures. */
  readonly heap: HeapFigures | undefined;
  /** While it is compared with another run. */
  readonly compared: ComparedView | undefined;
  readonly map: LineMap;
  readonly source: readonly string[] | undefined;
}

export function createHandlers({ store, openDocument, openNotebook, platform }: HandlerOptions): Handlers {
  const shown = createShownRun(store);
  const list = createRunList();
  const cellPaths = createCellPaths();
  const processes = createMassifProcesses();
  const gpu = createGpuReader();
  const comparisonOf = createComparisons();
  const maps = new Map<string, { key: string; map: LineMap; source: readonly string[] | undefined }>();

  async function match(uri: string): Promise<Match | undefined> {
    const showing = shown.current();
    const folder = showing?.folder;
    const project = folder === undefined ? undefined : projectOfRun(folder);
    const notebook = openNotebook?.(uri);
    const native = uriToPath(notebook?.uri ?? uri, platform);
    const inProject = project && native && projectPath(native, project, platform);
    if (folder === undefined || !inProject || native === undefined) return undefined;
    const reader = await store.get(folder);
    const profile = await shown.profileOf(reader);
    const name = notebook === undefined ? inProject : await cellPath(reader, inProject, notebook, uri);
    if (name === undefined) return undefined;
    const heap = await heapOf(reader);
    const file = filesOf(profile, heap).find((candidate) => samePath(candidate.path, name, platform));
    const document = openDocument(uri) ?? (await readDocument(native));
    if (file === undefined || document === undefined) return undefined;
    const metric = metricOf(profile.metrics, shown.by().metric);
    const against = showing?.compared;
    const compared = against && comparedView(await comparisonOf(against, shown.by().metric), file.path);
    return { folder, reader, profile, file, metric, heap, compared, ...(await mapOf(uri, reader, file, document)) };
  }

  async function cellPath(reader: RunReader, name: string, notebook: OpenNotebook, uri: string) {
    const ran = reader.profile().run.notebook;
    return ran && samePath(ran.path, name, platform) ? cellPaths.pathOf(reader, notebook, uri) : undefined;
  }

  async function heapOf(reader: RunReader): Promise<HeapFigures | undefined> {
    const { run } = reader.profile();
    if (run.engine.name !== "massif") return undefined;
    return await heapFigures((await runProcesses(processes, reader.folder, { run })).opened);
  }

  /** Of a run whose lines were measured with native stacks beside them, or of one under massif. */
  async function stacksOf({ heap, reader, profile: { run } }: Match): Promise<HeapFigures | undefined> {
    if (heap !== undefined || sampledMean(run.engine) === undefined) return heap;
    return await heapFigures((await runProcesses(processes, reader.folder, { run })).opened);
  }

  /** With what the run's processes took of the GPU by calls of their own; neither is known since a moment of it. */
  async function nativeOf(found: Match): Promise<NativeFigures> {
    const { run, since } = found.profile;
    if (since !== undefined || sampledMean(run.engine) === undefined) return { stacks: undefined, gpu: [] };
    return { stacks: await stacksOf(found), gpu: (await gpu.read(found.folder)).processes };
  }

  /** The document's line as it was profiled, with its text then where that is another. */
  function hoveredLine({ map, file, source }: Match, line: number) {
    const place = map.toProfiled(line);
    if (place === undefined) return undefined;
    const before = place.stale ? (source?.[place.line - 1] ?? "") : undefined;
    return { path: file.path, line: place.line, ...defined({ changedFrom: before }) };
  }

  async function mapOf(
    uri: string,
    reader: RunReader,
    file: Pick<FileProfile, "path" | "sha256">,
    document: DocumentText,
  ) {
    const key = JSON.stringify([reader.folder, file.path, file.sha256, document.version]);
    const known = maps.get(uri);
    if (known?.key === key) return known;
    const text = await reader.source(file.path);
    const source = text === undefined ? undefined : sourceLines(text);
    const now = sourceLines(document.text);
    // Of a run that goes on it is still on its way: what was sent was the document.
    const isStale = reader.profile().run.state !== "running";
    const map = source === undefined ? unknownMap(now.length, isStale) : mapLines(source, now);
    const entry = { key, source, map };
    // A live run's source may not have come home yet: not to be remembered.
    if (source !== undefined) maps.set(uri, entry);
    return entry;
  }

  return {
    runs: (folders) => list.runs(folders),
    async showRun(folder, metric, { compared, ranks = TOGETHER, since } = {}) {
      maps.clear();
      const by = { metric, ranks, ...defined({ since }) };
      if (folder === null) {
        shown.hide(by);
        return null;
      }
      return await shown.summary(await shown.show({ folder, compared }, by));
    },
    shown: () => shown.current()?.folder,
    async compare(folders, metric) {
      const comparison = await comparisonOf(folders, metric);
      const [keptBefore, keptAfter] = await Promise.all([folders.before[0], folders.after[0]].map(keepingOf));
      return await compareDocument(comparison, { before: keptBefore, after: keptAfter ?? NOTHING_KEPT });
    },
    async runSummary(folder) {
      return await shown.summary(await store.get(folder));
    },
    async runLines(folder, asked) {
      const profile = (await store.get(folder)).profile();
      const metric = metricOf(profile.metrics, asked);
      const { files } = byMetric(profile, metric);
      // What else was measured of a line is no part of this measure.
      const figures = ({ cuda: _cuda, system: _system, ...row }: LineRow) => row;
      return { metric, files: files.map(({ path, lines }) => ({ path, lines: lines.map(figures) })) };
    },
    async runTree(folder) {
      const reader = await store.get(folder);
      const heap = await heapOf(reader);
      const project = projectOfRun(folder);
      const located = async (file: FileProfile) => {
        const text = await reader.source(file.path);
        const place = project === undefined ? undefined : fileInProject(file.path, project, platform);
        const absolutePath = place === undefined ? undefined : await existing(place);
        return { file, source: text === undefined ? undefined : sourceLines(text), absolutePath };
      };
      if (heap === undefined) {
        const profile = await shown.profileOf(reader);
        const metric = metricOf(profile.metrics, shown.by().metric);
        const files = inTreeOrder(byMetric(profile, metric).files);
        const unfinished = unfinishedCalls(files, profile);
        const listed = await treeLines(files);
        const tree: TreeFile[] = [];
        // One file after the other: others get their turn in between, and no more than one source is held.
        for (const file of files) {
          const { source, absolutePath } = await located(file);
          tree.push(treeFile(file, listed, source, absolutePath, unfinished));
        }
        return { kind: "lines", metric, files: tree };
      }
      const files = await Promise.all(filesOf(reader.profile(), heap).map(located));
      return {
        kind: "heap",
        ...defined({ peak: heap.peak }),
        files: files
          .map(({ file, source, absolutePath }) => heapFile(heap, file, source, absolutePath))
          .filter(({ functions }) => functions.length > 0)
          .sort(byBytes),
      };
    },
    async phases(folder) {
      return phaseCosts((await store.get(folder)).profile());
    },
    async timeline({ folder, maxPoints, closer }) {
      const reader = await store.get(folder);
      const { run } = reader.profile();
      const { memTotal } = run.board;
      const samples = reader.samples();
      const rssPeak = samples.reduce(highestRss, undefined);
      const peakReached = peakStretch(samples);
      return {
        run: await shown.summary(reader),
        launcher: ranksOf(run).length > 0,
        ...defined({ memTotal, rssPeak, peakReached }),
        samples: closer === undefined ? thinSamples(samples, maxPoints) : thinAround(samples, maxPoints, closer),
      };
    },
    async lineDeltas(uri) {
      const found = await match(uri);
      if (found === undefined) return null;
      return {
        run: await shown.summary(found.reader),
        metric: found.metric,
        stale: found.map.changed,
        lines: await deltasOf(found),
        ...hereIn(found),
      };
    },
    async lineHistory(uri, documentLine, signal) {
      const found = await match(uri);
      const place = found && hoveredLine(found, documentLine);
      // Massif has no figures of lines that stand beside those of other runs.
      if (found?.source === undefined || found.heap !== undefined || place === undefined) return null;
      const { folder, reader, source, metric } = found;
      const runs = runsAlike(await list.runs([path.dirname(folder)]), folder);
      return await lineHistory({ reader, path: place.path, line: place.line, source, metric }, runs, signal);
    },
    async lineNow({ folder, path: name, line, uri }) {
      const reader = await store.get(folder);
      const file = filesOf(reader.profile(), await heapOf(reader)).find((candidate) => candidate.path === name);
      const native = uriToPath(uri, platform);
      const document = openDocument(uri) ?? (native === undefined ? undefined : await readDocument(native));
      if (file === undefined || document === undefined) return null;
      const { map, source } = await mapOf(uri, reader, file, document);
      const last = source?.length ?? sourceLines(document.text).length;
      for (let above = Math.min(line, last); above > 0; above--) {
        const place = map.toDocument(above);
        if (place !== undefined) return { line: place.line, gone: above !== line };
      }
      return { line: 1, gone: true };
    },
    async cellNow({ folder, path, cells }) {
      const reader = await store.get(folder);
      const ran = reader.profile().run.notebook;
      const paths = ran === undefined ? new Map<string, string>() : await pathsNow(reader, ran, cells);
      return [...paths].find(([, found]) => found === path)?.[0] ?? null;
    },
    async hover(uri, documentLine) {
      const found = await match(uri);
      const hovered = found && hoveredLine(found, documentLine);
      if (found === undefined || hovered === undefined) return null;
      const { profile, folder, heap, compared } = found;
      const own =
        heap === undefined
          ? sampledHover(profile, folder, await nativeOf(found), hovered)
          : heapHoverText(profile, folder, heap, hovered);
      const line = compared?.file.lines.find(({ after }) => after === hovered.line);
      const change = compared && line && comparedHover(compared.comparison, line);
      return [change, own].filter((part) => part !== undefined).join("\n\n---\n\n") || null;
    },
    async nativeStacks(uri, line) {
      const found = await match(uri);
      const place = found && hoveredLine(found, line);
      const stacks = found && (await stacksOf(found));
      if (found === undefined || stacks === undefined || place === undefined) return null;
      return lineStacks(stacks, found.folder, place.path, place.line) ?? null;
    },
    massif: createMassifDocuments(processes),
    async lenses(uri) {
      const found = await match(uri);
      if (found === undefined) return null;
      return { folder: found.folder, lenses: lensesOf(found) };
    },
    async prepare(uri) {
      await match(uri);
    },
    forget: (uri) => maps.delete(uri),
  };
}

async function deltasOf({ profile, file, metric, heap, compared, map, reader }: Match): Promise<readonly LineDelta[]> {
  if (compared !== undefined) return comparedDeltas(compared, map);
  return heap === undefined
    ? lineDeltas(profile, file.path, metric, map, reader.rssPeak())
    : heapDeltas(heap, file.path, map);
}

function hereIn({ profile, file, map, reader }: Match): Pick<LineDeltasResult, "here"> {
  return present({ here: lineHere(profile.run, reader.lastSample(), file.path, map) });
}

function lensesOf({ profile, file, metric, heap, compared, map }: Match): readonly FunctionLens[] {
  if (compared !== undefined) return comparedLenses(compared, file, map);
  return heap === undefined ? functionLenses(profile, file.path, metric, map) : heapLenses(heap, file, map);
}

const keepingOf = async (folder: string | undefined) => (folder === undefined ? undefined : readKeeping(folder));

/** The run's files; of a massif run those too of which only the heap is known. */
function filesOf({ files }: Profile, heap: HeapFigures | undefined): readonly FileProfile[] {
  if (heap === undefined) return files;
  const others = filesWithFigures(heap).filter((path) => !files.some((file) => file.path === path));
  return [...files, ...others.map((path) => ({ path, sha256: "", lines: [], functions: [] }))];
}

/** Without the text that was profiled nobody can say what changed: lines keep their numbers, and may count as stale. */
function unknownMap(lines: number, stale: boolean): LineMap {
  const same = (line: number) => (line <= lines ? { line, stale } : undefined);
  return { changed: stale, toDocument: same, toProfiled: same };
}

async function existing(file: string): Promise<string | undefined> {
  const stat = await fs.stat(file).catch(() => undefined);
  return stat?.isFile() ? file : undefined;
}

async function readDocument(file: string): Promise<DocumentText | undefined> {
  try {
    const [stat, text] = await Promise.all([fs.stat(file), fs.readFile(file, "utf8")]);
    return { version: stat.mtimeMs, text };
  } catch {
    return undefined;
  }
}
