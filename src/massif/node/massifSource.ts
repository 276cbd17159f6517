/** massif.out on disk: indexed once, trees read when they are asked for. */

import { constants, type Stats } from "node:fs";
import * as fs from "node:fs/promises";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import type { CallTree, MassifFile, Snapshot } from "../model.ts";
import { createMassifReader } from "../reader/massifReader.ts";
import { createTreeReader } from "../reader/treeReader.ts";
import { asUnreadable, checkIsFile } from "./unreadable.ts";

export interface MassifSource {
  /** As it was when the source was opened. */
  readonly file: MassifFile;
  /**
   * The tree of `file.snapshots[snapshot]`, also where the file was replaced since by one that still has the snapshot.
   * @throws UserError `massif-no-tree` where the snapshot has none, `massif-changed` where the file has it no more,
   *   `massif-tree-too-large`, and those of openMassif
   */
  tree(snapshot: number): Promise<CallTree>;
}

interface Version {
  readonly stats: Stats;
  readonly file: MassifFile;
}

const CHUNK_BYTES = 512 * 1024;
/** A checkpoint replaces the file every few seconds; reading takes less. */
const ATTEMPTS = 3;

/**
 * @throws UserError `massif-unreadable`; `massif-empty`, `massif-printed`, `massif-foreign`, `massif-cut-header` as
 *   createMassifReader
 */
export async function openMassif(path: string): Promise<MassifSource> {
  const opened = await withFile(path, readVersion);
  let latest = opened;

  async function tree(snapshot: number): Promise<CallTree> {
    const wanted = opened.file.snapshots[snapshot];
    if (wanted === undefined || wanted.tree.kind === "none") {
      throw new UserError(
        "massif-no-tree",
        t("This snapshot has no tree: massif kept its figures only."),
        t("Choose a detailed snapshot, or run massif with --detailed-freq=1 to keep the tree of each."),
      );
    }
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = await withFile(path, async (handle) => {
        const stats = await handle.stat();
        if (!isSame(stats, latest.stats)) latest = await readVersion(handle);
        const version = latest;
        const range = find(version.file, wanted, version === opened ? snapshot : undefined);
        if (range === undefined) throw changed();
        const result = await readTree(handle, range);
        return isSame(await handle.stat(), version.stats) ? result : undefined;
      });
      if (found !== undefined) return found;
    }
    throw changed();
  }

  return { file: opened.file, tree };
}

type TreeRange = Extract<Snapshot["tree"], { start: number }>;

/** The wanted snapshot's tree, in a newer version of its file by its figures: places and numbers move there. */
function find(file: MassifFile, wanted: Snapshot, place: number | undefined): TreeRange | undefined {
  const snapshot = place === undefined ? file.snapshots.find((other) => isEqual(other, wanted)) : file.snapshots[place];
  return snapshot === undefined || snapshot.tree.kind === "none" ? undefined : snapshot.tree;
}

function isEqual(a: Snapshot, b: Snapshot): boolean {
  const sameFigures = a.time === b.time && a.heap === b.heap && a.extra === b.extra && a.stacks === b.stacks;
  return sameFigures && a.tree.kind !== "none" && b.tree.kind !== "none" && a.tree.nodes === b.tree.nodes;
}

function isSame(a: Stats, b: Stats): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino && a.dev === b.dev;
}

function changed(): UserError {
  return new UserError(
    "massif-changed",
    t("The file was rewritten and no longer holds this snapshot."),
    t("Open the file again to see its present snapshots."),
  );
}

async function readVersion(handle: fs.FileHandle): Promise<Version> {
  // Taken first: what is written while the file is read makes it another version.
  const stats = await handle.stat();
  const reader = createMassifReader();
  await readRange(handle, 0, Number.POSITIVE_INFINITY, (chunk) => reader.push(chunk));
  return { stats, file: reader.end() };
}

async function readTree(handle: fs.FileHandle, range: TreeRange): Promise<CallTree> {
  const reader = createTreeReader(range.nodes);
  await readRange(handle, range.start, range.end, (chunk) => reader.push(chunk));
  return reader.end();
}

/** @param take gets each chunk; it is only valid during the call */
async function readRange(
  handle: fs.FileHandle,
  start: number,
  end: number,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  // Buffers, because they find line ends several times as fast as a plain Uint8Array. Two, because the next chunk is
  // fetched while the last one is read.
  const size = Math.min(CHUNK_BYTES, end - start);
  let [free, full] = [Buffer.allocUnsafe(size), Buffer.allocUnsafe(size)];
  const fetch = (at: number) => handle.read(free, 0, Math.min(size, end - at), at);
  let at = start;
  for (let { bytesRead } = await fetch(at); bytesRead > 0; ) {
    at += bytesRead;
    [free, full] = [full, free];
    const next = fetch(at);
    try {
      take(full.subarray(0, bytesRead));
    } finally {
      bytesRead = (await next).bytesRead;
    }
  }
}

async function withFile<Result>(path: string, use: (handle: fs.FileHandle) => Promise<Result>): Promise<Result> {
  let handle: fs.FileHandle | undefined;
  try {
    // Without O_NONBLOCK (which Windows lacks, as it lacks named pipes among files) a named pipe would be waited for.
    handle = await fs.open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    checkIsFile(await handle.stat(), path);
    return await use(handle);
  } catch (error) {
    throw asUnreadable(error, path);
  } finally {
    await handle?.close();
  }
}
