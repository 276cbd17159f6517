/** What the server answers, apart from the connection it answers on. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { FileProfile, Profile } from "../profile/model.ts";
import type { RunReader } from "../profile/runFolder.ts";
import { readRunHead } from "../profile/runHead.ts";
import { listRunFolders, projectOfRun } from "../profile/runsFolder.ts";
import { thinSamples } from "../profile/samples.ts";
import { sourceLines } from "../profile/text.ts";
import type { LineDeltasResult, RunListEntry, RunSummary, ServerRequests, TreeFile } from "../protocol/server.ts";
import { hoverText } from "./hover.ts";
import { type LineMap, mapLines } from "./lineMap.ts";
import { fileInProject, projectPath, samePath, uriToPath } from "./projectPath.ts";
import { headOf, type RunStore } from "./runStore.ts";
import { summarise } from "./summary.ts";
import { type FunctionLens, functionLenses, inTreeOrder, lineDeltas, treeFile } from "./views.ts";

/** A document's text as the editor has it; `version` changes with it. */
export interface DocumentText {
  readonly version: number;
  readonly text: string;
}

export interface HandlerOptions {
  readonly store: RunStore;
  /** The open document; undefined where it is not open. */
  readonly openDocument: (uri: string) => DocumentText | undefined;
  readonly platform: NodeJS.Platform;
}

export interface Handlers {
  runs(folders: readonly string[]): Promise<readonly RunListEntry[]>;
  showRun(folder: string | null): Promise<RunSummary | null>;
  runTree(folder: string): Promise<readonly TreeFile[]>;
  timeline(folder: string, maxPoints: number): Promise<ServerRequests["jetsonMemprof/timeline"]["result"]>;
  lineDeltas(uri: string): Promise<LineDeltasResult | null>;
  lineNow(
    params: ServerRequests["jetsonMemprof/lineNow"]["params"],
  ): Promise<ServerRequests["jetsonMemprof/lineNow"]["result"]>;
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
  readonly map: LineMap;
  readonly source: readonly string[] | undefined;
}

export function createHandlers({ store, openDocument, platform }: HandlerOptions): Handlers {
  let shown: string | undefined;
  let showings = 0;
  const maps = new Map<string, { key: string; map: LineMap; source: readonly string[] | undefined }>();

  async function match(uri: string): Promise<Match | undefined> {
    const folder = shown;
    const project = folder === undefined ? undefined : projectOfRun(folder);
    const native = uriToPath(uri, platform);
    const name = project && native && projectPath(native, project, platform);
    if (folder === undefined || !name || native === undefined) return undefined;
    const reader = await store.get(folder);
    const profile = reader.profile();
    const file = profile.files.find((candidate) => samePath(candidate.path, name, platform));
    const document = openDocument(uri) ?? (await readDocument(native));
    if (file === undefined || document === undefined) return undefined;
    return { folder, reader, profile, file, ...(await mapOf(uri, reader, file, document)) };
  }

  async function mapOf(uri: string, reader: RunReader, file: FileProfile, document: DocumentText) {
    const key = JSON.stringify([reader.folder, file.path, file.sha256, document.version]);
    const known = maps.get(uri);
    if (known?.key === key) return known;
    const text = await reader.source(file.path);
    const source = text === undefined ? undefined : sourceLines(text);
    const now = sourceLines(document.text);
    const entry = { key, source, map: source === undefined ? unknownMap(now.length) : mapLines(source, now) };
    // A live run's source may not have come home yet: not to be remembered.
    if (source !== undefined) maps.set(uri, entry);
    return entry;
  }

  return {
    async runs(folders) {
      const found = (await Promise.all(folders.map(listRunFolders))).flat();
      const entries = await Promise.all(found.map(async (folder) => ({ folder, entry: await listEntry(folder) })));
      return entries
        .sort((a, b) => (path.basename(a.folder) < path.basename(b.folder) ? 1 : -1))
        .map(({ entry }) => entry);
    },
    async showRun(folder) {
      const showing = ++showings;
      maps.clear();
      shown = undefined;
      // Before it is read: what is added meanwhile is told of then.
      store.watch(folder ?? undefined);
      if (folder === null) return null;
      try {
        const reader = await store.get(folder);
        // Another may have been asked for while this one was read.
        if (showing === showings) shown = folder;
        return summarise(folder, headOf(reader));
      } catch (error) {
        if (showing === showings) store.watch(undefined);
        throw error;
      }
    },
    async runTree(folder) {
      const reader = await store.get(folder);
      const project = projectOfRun(folder);
      return await Promise.all(
        inTreeOrder(reader.profile().files).map(async (file) => {
          const text = await reader.source(file.path);
          const place = project === undefined ? undefined : fileInProject(file.path, project, platform);
          const found = place === undefined ? undefined : await existing(place);
          return treeFile(file, text === undefined ? undefined : sourceLines(text), found);
        }),
      );
    },
    async timeline(folder, maxPoints) {
      const reader = await store.get(folder);
      const { memTotal } = reader.profile().run.board;
      return {
        run: summarise(folder, headOf(reader)),
        ...(memTotal === undefined ? {} : { memTotal }),
        samples: thinSamples(reader.samples(), maxPoints),
      };
    },
    async lineDeltas(uri) {
      const found = await match(uri);
      if (found === undefined) return null;
      return {
        run: summarise(found.folder, headOf(found.reader)),
        stale: found.map.changed,
        lines: lineDeltas(found.profile, found.file, found.map),
      };
    },
    async lineNow({ folder, path: name, line, uri }) {
      const reader = await store.get(folder);
      const file = reader.profile().files.find((candidate) => candidate.path === name);
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
    async hover(uri, line) {
      const found = await match(uri);
      const place = found?.map.toProfiled(line);
      if (found === undefined || place === undefined) return null;
      const before = place.stale ? (found.source?.[place.line - 1] ?? "") : undefined;
      const hovered = {
        path: found.file.path,
        line: place.line,
        ...(before === undefined ? {} : { changedFrom: before }),
      };
      return hoverText(found.profile, hovered) ?? null;
    },
    async lenses(uri) {
      const found = await match(uri);
      return found === undefined ? null : { folder: found.folder, lenses: functionLenses(found.file, found.map) };
    },
    async prepare(uri) {
      await match(uri);
    },
    forget: (uri) => maps.delete(uri),
  };
}

/** Without the text that was profiled nobody can say what changed: lines keep their numbers and count as stale. */
function unknownMap(lines: number): LineMap {
  const same = (line: number) => (line <= lines ? { line, stale: true } : undefined);
  return { changed: true, toDocument: same, toProfiled: same };
}

async function listEntry(folder: string): Promise<RunListEntry> {
  try {
    return { kind: "run", run: summarise(folder, await readRunHead(folder)) };
  } catch (error) {
    return { kind: "unreadable", folder, reason: (error as Error).message };
  }
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
