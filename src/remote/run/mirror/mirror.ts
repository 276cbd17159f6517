/** Writing a run folder at home as the board tells it, believing nothing it says about names and places. */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RunOrigin } from "../../../profile/model.ts";
import { printableLines } from "../../../profile/text/text.ts";
import { UserError } from "../../../profile/userError.ts";
import { t } from "../../../words/t.ts";
import { writeOrigin } from "../origin.ts";
import { mirrorPlace } from "./mirrorPath.ts";

/** A board cannot fill the disk here. */
const TOTAL_LIMIT = 8 * 1024 * 1024 * 1024;
const MAX_FILES = 20_000;
/** Replaced as the run goes on: a size says nothing of what is in them, so they are sent again. */
const REPLACED = /^(run\.json|(massif|gpu)\.out\.\d+|(heap|gpu)\.\d+\.json|allocator\.\d+\.\d+\.pickle)$/;

/** How files that are being received begin. */
const INCOMING = ".incoming-";
/** Milliseconds after which nobody receives it any more: a board that says nothing for a minute is left. */
const ABANDONED = 3_600_000;

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
    await writeOrigin(folder, origin);
  } catch (error) {
    throw cannotWrite(folder, error);
  }
  return mirrorOf(folder, new Map());
}

/** Goes on with a run folder that is there already. */
export async function openMirror(folder: string): Promise<Mirror> {
  const sizes = new Map<string, number>();
  for (const name of await readdir(folder).catch(() => [])) {
    if (name.startsWith(INCOMING)) await removeAbandoned(join(folder, name));
    else await addFiles(folder, name, sizes);
  }
  return mirrorOf(folder, sizes);
}

/** What a program that was killed had not received whole; another window may be writing a younger one. */
async function removeAbandoned(file: string): Promise<void> {
  const found = await lstat(file).catch(() => undefined);
  if (found?.isFile() === true && Date.now() - found.mtimeMs > ABANDONED) await rm(file, { force: true });
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
  // A name that no file of a run has, and no other window that follows the same run.
  const incoming = `${INCOMING}${randomBytes(6).toString("hex")}`;
  let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);

  function place(file: string): { readonly path: string; readonly grows: boolean } {
    const found = mirrorPlace(file);
    if (found === undefined)
      throw new MirrorFault(t("a run folder has no file {0}", printableLines(file).slice(0, 200)));
    if (!sizes.has(file) && sizes.size >= MAX_FILES) throw new MirrorFault(t("more than {0} files", MAX_FILES));
    return { path: join(folder, ...found.parts), grows: found.grows };
  }

  function grow(bytes: number): void {
    total += bytes;
    if (total > TOTAL_LIMIT) throw new MirrorFault(t("more than {0} GiB for one run", TOTAL_LIMIT / 1024 ** 3));
  }

  async function opened(file: string, path: string): Promise<FileHandle> {
    const held = handles.get(file);
    if (held !== undefined) return held;
    await makeFolders(folder, file);
    const found = await lstat(path).catch(() => undefined);
    if (found !== undefined && !found.isFile()) throw notOurs(path);
    const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o644).catch(
      (error: unknown) => {
        throw cannotWrite(path, error);
      },
    );
    await closedUnless(handle, isThere(handle, folder, file));
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
    if (!grows) throw new MirrorFault(t("{0} does not grow", printableLines(file)));
    const size = sizes.get(file) ?? 0;
    if (offset !== size)
      throw new MirrorFault(t("{0} continues at byte {1}, but {2} bytes are here", file, offset, size));
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
    const beside = join(folder, incoming);
    try {
      await makeFolders(folder, file);
      await handles.get(file)?.close();
      handles.delete(file);
      const out = await open(beside, "wx", 0o644);
      try {
        await isThere(out, folder, incoming);
        for await (const piece of data) await out.writeFile(piece);
      } finally {
        await out.close();
      }
      // The data may have taken long to come.
      await makeFolders(folder, file);
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
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) throw deleted(folder);
  if (!found.isDirectory()) throw notOurs(path);
  for (const part of file.split("/").slice(0, -1)) {
    path = join(path, part);
    const found = await lstat(path).catch(() => undefined);
    // Another window that follows the same run may be making it too.
    if (found === undefined) await mkdir(path, { recursive: true });
    else if (!found.isDirectory()) throw notOurs(path);
  }
}

/** What was opened lies where it should: no link took a folder's or the file's place after they had been looked at. */
async function isThere(handle: FileHandle, folder: string, file: string): Promise<void> {
  await makeFolders(folder, file);
  const path = join(folder, ...file.split("/"));
  const [opened, found] = await Promise.all([
    handle.stat({ bigint: true }),
    lstat(path, { bigint: true }).catch(() => undefined),
  ]);
  if (found?.isFile() !== true || found.ino !== opened.ino || found.dev !== opened.dev) throw notOurs(path);
}

async function closedUnless(handle: FileHandle, sound: Promise<void>): Promise<void> {
  try {
    await sound;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function deleted(folder: string): UserError {
  return new UserError(
    "run-folder-gone",
    t("The run folder {0} was deleted, in whole or in part, while the run was being followed.", printableLines(folder)),
    t("The script continues, and the board still has all of its figures in its own runs folder, under the same name."),
  );
}

function notOurs(path: string): UserError {
  return new UserError(
    "cannot-write",
    t(
      "{0} is a link or something else that does not belong in a run folder, so nothing was written there.",
      printableLines(path),
    ),
    t("Remove it, then reattach to the run."),
  );
}

function cannotWrite(path: string, error: unknown): UserError {
  if (error instanceof UserError) return error;
  const code = (error as NodeJS.ErrnoException).code;
  return new UserError(
    code === "ENOSPC" || code === "EDQUOT" ? "no-space-here" : "cannot-write",
    t("{0} cannot be written on this machine ({1}).", printableLines(path), code ?? (error as Error).message),
    code === "ENOSPC" || code === "EDQUOT"
      ? t("Free some disk space; the run continues on the board and can be fetched again.")
      : t("Check that you may write to this folder."),
    { cause: error },
  );
}
