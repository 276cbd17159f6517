/** Writing a run folder at home as the board tells it, believing nothing it says about names and places. */
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunOrigin } from "../../profile/model.ts";
import { printableLines } from "../../profile/text.ts";
import { UserError } from "../../profile/userError.ts";
import { mirrorPlace } from "./mirrorPath.ts";

/** A board cannot fill the disk here. */
const TOTAL_LIMIT = 8 * 1024 * 1024 * 1024;
const MAX_FILES = 20_000;
/** Replaced as the run goes on: a size says nothing of what is in them, so they are sent again. */
const REPLACED = /^(run\.json|massif\.out\.\d+|allocator\.\d+\.\d+\.pickle)$/;

/** What the board sent does not fit a run folder. */
export class MirrorFault extends Error {}

export interface Mirror {
  readonly folder: string;
  /** Bytes that are here already, by file name, as `attach` is told. */
  have(): Readonly<Record<string, number>>;
  /** Adds at `offset`, which must be the present size; each piece is passed to `seen` once it is written. */
  append(file: string, offset: number, data: AsyncIterable<Buffer>, seen: (piece: Buffer) => void): Promise<void>;
  /** Takes the place of the file, at once and only when all of it came. */
  replace(file: string, length: number, data: AsyncIterable<Buffer>): Promise<void>;
  close(): Promise<void>;
}

/** Makes the run folder with its origin.json, the first file of it. */
export async function createMirror(runsFolder: string, id: string, origin: RunOrigin): Promise<Mirror> {
  const folder = join(runsFolder, id);
  try {
    await mkdir(runsFolder, { recursive: true });
    await mkdir(folder);
    const record = {
      schema: 1,
      target: origin.target,
      board_folder: origin.boardFolder,
      simulated: origin.simulated,
    };
    await writeFile(join(folder, "origin.json"), `${JSON.stringify(record)}\n`, { flag: "wx" });
  } catch (error) {
    throw cannotWrite(folder, error);
  }
  return mirrorOf(folder, new Map());
}

/** Goes on with a run folder that is there already. */
export async function openMirror(folder: string): Promise<Mirror> {
  const sizes = new Map<string, number>();
  for (const name of await readdir(folder).catch(() => [])) await addFiles(folder, name, sizes);
  return mirrorOf(folder, sizes);
}

/** Links are not followed: what lies behind them is not of this run, and its names are nothing for the board. */
async function addFiles(folder: string, file: string, sizes: Map<string, number>): Promise<void> {
  const found = await lstat(join(folder, file)).catch(() => undefined);
  if (found?.isFile() === true && mirrorPlace(file) !== undefined) sizes.set(file, found.size);
  if (found?.isDirectory() !== true) return;
  for (const name of await readdir(join(folder, file)).catch(() => [])) {
    await addFiles(folder, `${file}/${name}`, sizes);
  }
}

function mirrorOf(folder: string, sizes: Map<string, number>): Mirror {
  const handles = new Map<string, FileHandle>();
  let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);

  function place(file: string): { readonly path: string; readonly grows: boolean } {
    const found = mirrorPlace(file);
    if (found === undefined) throw new MirrorFault(`a run folder has no file ${printableLines(file).slice(0, 200)}`);
    if (!sizes.has(file) && sizes.size >= MAX_FILES) throw new MirrorFault(`more than ${MAX_FILES} files`);
    return { path: join(folder, ...found.parts), grows: found.grows };
  }

  function grow(bytes: number): void {
    total += bytes;
    if (total > TOTAL_LIMIT) throw new MirrorFault(`more than ${TOTAL_LIMIT / 1024 ** 3} GiB for one run`);
  }

  async function opened(file: string, path: string): Promise<FileHandle> {
    const held = handles.get(file);
    if (held !== undefined) return held;
    const found = await lstat(path).catch(() => undefined);
    if (found !== undefined && !found.isFile()) throw notOurs(path);
    const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o644).catch(
      (error: unknown) => {
        throw cannotWrite(path, error);
      },
    );
    handles.set(file, handle);
    return handle;
  }

  async function append(
    file: string,
    offset: number,
    data: AsyncIterable<Buffer>,
    seen: (piece: Buffer) => void,
  ): Promise<void> {
    const { path, grows } = place(file);
    if (!grows) throw new MirrorFault(`${printableLines(file)} does not grow`);
    const size = sizes.get(file) ?? 0;
    if (offset !== size) throw new MirrorFault(`${file} goes on at byte ${offset}, but ${size} bytes are here`);
    const handle = await opened(file, path);
    // Writing to a deleted file succeeds, and is lost.
    if ((await handle.stat()).nlink === 0) throw deleted(folder);
    for await (const piece of data) {
      grow(piece.length);
      const at = sizes.get(file) ?? 0;
      // At its place, not at the end: two windows that follow the same run write the same bytes.
      await writeAt(handle, piece, at).catch((error: unknown) => {
        throw cannotWrite(path, error);
      });
      sizes.set(file, at + piece.length);
      seen(piece);
    }
  }

  async function replace(file: string, length: number, data: AsyncIterable<Buffer>): Promise<void> {
    const { path } = place(file);
    grow(length);
    const beside = `${path}.part`;
    try {
      await makeFolders(folder, file);
      await handles.get(file)?.close();
      handles.delete(file);
      await rm(beside, { force: true });
      const out = await open(beside, "wx", 0o644);
      try {
        for await (const piece of data) await out.writeFile(piece);
      } finally {
        await out.close();
      }
      await rename(beside, path);
    } catch (error) {
      total -= length;
      await rm(beside, { force: true }).catch(() => {});
      if ((error as NodeJS.ErrnoException).code === "ENOENT") throw deleted(folder);
      throw (error as NodeJS.ErrnoException).syscall === undefined ? error : cannotWrite(path, error);
    }
    total -= sizes.get(file) ?? 0;
    sizes.set(file, length);
  }

  return {
    folder,
    have: () => Object.fromEntries([...sizes].filter(([file]) => !REPLACED.test(file))),
    append,
    replace,
    async close() {
      for (const handle of handles.values()) await handle.close();
      handles.clear();
    },
  };
}

async function writeAt(handle: FileHandle, piece: Buffer, position: number): Promise<void> {
  for (let done = 0; done < piece.length; ) {
    const { bytesWritten } = await handle.write(piece, done, piece.length - done, position + done);
    done += bytesWritten;
  }
}

/** The folders a file lies in, each of them a real one: a link there would lead the board's files out of the run. */
async function makeFolders(folder: string, file: string): Promise<void> {
  let path = folder;
  for (const part of file.split("/").slice(0, -1)) {
    path = join(path, part);
    const found = await lstat(path).catch(() => undefined);
    if (found === undefined) await mkdir(path);
    else if (!found.isDirectory()) throw notOurs(path);
  }
}

function deleted(folder: string): UserError {
  return new UserError(
    "run-folder-gone",
    `The run folder ${printableLines(folder)} was deleted, in whole or in part, while the run was being followed.`,
    "The script goes on, and the board still has all of its figures in its own runs folder, under the same name.",
  );
}

function notOurs(path: string): UserError {
  return new UserError(
    "cannot-write",
    `${printableLines(path)} is a link or something else that does not belong in a run folder, so nothing was written there.`,
    "Remove it, then reconnect to the run.",
  );
}

function cannotWrite(path: string, error: unknown): UserError {
  if (error instanceof UserError) return error;
  const code = (error as NodeJS.ErrnoException).code;
  return new UserError(
    code === "ENOSPC" || code === "EDQUOT" ? "no-space-here" : "cannot-write",
    `${printableLines(path)} cannot be written on this machine (${code ?? (error as Error).message}).`,
    code === "ENOSPC" || code === "EDQUOT"
      ? "Free some disk space; the run on the board goes on and can be fetched again."
      : "Check that you may write to this folder.",
    { cause: error },
  );
}
