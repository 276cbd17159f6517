/** Snapshots in view: read once, and again when their files change. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { type RunHead, readRunHead } from "../../profile/run/runHead.ts";
import { runTitle } from "../../profile/run/runJson.ts";
import type { SnapshotAnswer, SnapshotDocument, SnapshotQuery } from "../../protocol/torch/snapshot.ts";
import { readSnapshotFile } from "../../torch/node/readSnapshotFile.ts";
import { deviceMemories } from "../../torch/snapshot/deviceMemory.ts";
import { createProjectFiles } from "../../torch/snapshot/projectFiles.ts";
import { boardName } from "../board/boardName.ts";
import { answerQuery, type OpenSnapshot } from "./snapshotAnswers.ts";
import { snapshotDocument } from "./snapshotDocument.ts";
import { createSnapshotPlaces } from "./snapshotPlaces.ts";

export interface SnapshotDocuments {
  /** @throws UserError as readSnapshotFile; what `signal` gives when it stops the reading */
  document(file: string, signal: AbortSignal): Promise<SnapshotDocument>;
  /** Of the document that was given last. @throws UserError as `document` and answerQuery */
  answer(file: string, query: SnapshotQuery, signal: AbortSignal): Promise<SnapshotAnswer>;
}

interface Opening {
  readonly opened: Promise<OpenSnapshot & { readonly document: SnapshotDocument }>;
  readonly version: string;
  /** Bytes of the file. */
  readonly size: number;
  readonly stop: AbortController;
  /** Who wants it. It is read on while anybody does. */
  waiting: number;
}

/** Beside the two used last, which may be compared with each other: those before them, while their files are small. */
const KEPT = { documents: 4, bytes: 256 * 1024 * 1024, always: 2 };

export function createSnapshotDocuments(): SnapshotDocuments {
  const openings = new Map<string, Opening>();

  function remember(file: string, opening: Opening): void {
    openings.delete(file);
    openings.set(file, opening);
    let bytes = [...openings.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [oldest, { size }] of openings) {
      if (openings.size <= KEPT.always || (openings.size <= KEPT.documents && bytes <= KEPT.bytes)) return;
      openings.delete(oldest);
      bytes -= size;
    }
  }

  async function opened(file: string, opening: Opening, signal: AbortSignal) {
    const leave = () => {
      if (--opening.waiting === 0) opening.stop.abort(signal.reason);
    };
    opening.waiting++;
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave);
    try {
      return await opening.opened;
    } catch (error) {
      if (openings.get(file) === opening) openings.delete(file);
      throw error;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  /** As the file is now. Who wants an opening is counted at once: another may leave it at any time. */
  async function reopened(file: string, signal: AbortSignal) {
    const { version, size } = await versionOf(file);
    let opening = openings.get(file);
    if (opening === undefined || opening.version !== version || opening.stop.signal.aborted) {
      const stop = new AbortController();
      opening = { opened: open(file, stop.signal), version, size, stop, waiting: 0 };
    }
    remember(file, opening);
    return await opened(file, opening, signal);
  }

  return {
    async document(file, signal) {
      return (await reopened(file, signal)).document;
    },
    async answer(file, query, signal) {
      const known = openings.get(file);
      if (known === undefined) return answerQuery(await reopened(file, signal), query);
      remember(file, known);
      return answerQuery(await opened(file, known, signal), query);
    },
  };
}

async function open(
  file: string,
  signal: AbortSignal,
): Promise<OpenSnapshot & { readonly document: SnapshotDocument }> {
  // A file that lies in a run folder is shown with what the run knows of it.
  const head: RunHead | undefined = await readRunHead(path.dirname(file)).catch(() => undefined);
  const snapshot = await readSnapshotFile(file, signal);
  const places = createSnapshotPlaces(snapshot, createProjectFiles(head?.projectRoot));
  const opened = { snapshot, devices: deviceMemories(snapshot), places };
  const name = path.basename(file);
  const title = head === undefined ? name : `${runTitle(head.run)}, ${name}`;
  return { ...opened, document: snapshotDocument(opened, { title, board: head && boardName(head) }) };
}

async function versionOf(file: string): Promise<{ readonly version: string; readonly size: number }> {
  return await fs.stat(file).then(
    ({ size, mtimeMs, ino }) => ({ version: `${size} ${mtimeMs} ${ino}`, size }),
    // Whoever reads it says so.
    (error: NodeJS.ErrnoException) => ({ version: String(error.code), size: 0 }),
  );
}
