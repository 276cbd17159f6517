/** Reading files that another program is still writing. */
import { createHash } from "node:crypto";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { phrase, say, t } from "../../words/t.ts";
import { UserError } from "../userError.ts";
import { createLineSplitter, type LineSplitter } from "./lineSplitter.ts";
import { isBelow } from "./relativePath.ts";

export interface WatchedFile {
  /** The content where it is another than at the last call; undefined where it is the same or missing. */
  changed(): Promise<string | undefined>;
}

/** A file that is replaced as a whole. */
export function watched(file: string): WatchedFile {
  let seen = "";
  return {
    async changed() {
      const stat = await orMissing(fs.stat(file), file);
      const state = stat === undefined ? "" : `${stat.size} ${stat.mtimeMs} ${stat.ino}`;
      if (stat === undefined || state === seen) return undefined;
      const text = await readText(file);
      seen = state;
      return text;
    },
  };
}

/** Of files that are read as a whole: far more than any of them has. */
const LARGEST = 64 * 1024 * 1024;
const NO_FILE = phrase("it is not a plain file");

/**
 * A whole file as text; undefined where it is missing. What is no plain file is not opened: a pipe would be waited for,
 * and a device may have no end.
 * @throws UserError `run-unreadable`
 */
export async function readText(file: string): Promise<string | undefined> {
  return (await readWhole(file))?.toString("utf8");
}

async function readWhole(file: string): Promise<Buffer | undefined> {
  const stat = await orMissing(fs.stat(file), file);
  if (stat === undefined) return undefined;
  if (!stat.isFile()) throw unreadable(file, say(NO_FILE));
  if (stat.size > LARGEST) throw unreadable(file, t("it has {0} bytes, far more than such a file can have", stat.size));
  return await orMissing(fs.readFile(file), file);
}

export interface AppendedFile {
  /**
   * Reads on from where the last call stopped; true where something was there.
   * @throws UserError `run-unreadable`, and what `line` throws
   */
  read(): Promise<boolean>;
}

/** Lines of one chunk are taken in one turn of the event loop. */
const CHUNK_BYTES = 128 * 1024;

/** A file that grows. One that became shorter or another file is read from its start again. */
export function appended(file: string, to: { restart(): void; line(text: string): void }): AppendedFile {
  let offset = 0;
  let inode: number | undefined;
  let splitter: LineSplitter = createLineSplitter();

  async function readOn(handle: fs.FileHandle, size: number): Promise<boolean> {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - offset + 1));
    const before = offset;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
      if (bytesRead === 0) return offset > before;
      offset += bytesRead;
      for (const line of splitter.push(buffer.subarray(0, bytesRead))) to.line(line);
    }
  }

  return {
    async read() {
      // A pipe in its place would be waited for without end.
      const found = await orMissing(fs.stat(file), file);
      if (found !== undefined && !found.isFile()) throw unreadable(file, say(NO_FILE));
      const handle = await orMissing(fs.open(file, "r"), file);
      if (handle === undefined) return false;
      try {
        const stat = await handle.stat();
        if (stat.size === offset && stat.ino === inode) return false;
        if (stat.size < offset || (inode !== undefined && stat.ino !== inode)) {
          offset = 0;
          splitter = createLineSplitter();
          to.restart();
        }
        inode = stat.ino;
        return await readOn(handle, stat.size);
      } finally {
        await handle.close();
      }
    },
  };
}

/** For whom it is one record among several: of one that cannot be read nothing is known. */
export async function readable<T>(reading: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/**
 * Undefined where the file is missing.
 * @throws UserError `run-unreadable`
 */
export async function orMissing<T>(reading: Promise<T>, file: string): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw unreadable(file, (error as Error).message, error);
  }
}

function unreadable(file: string, why: string, cause?: unknown): UserError {
  return new UserError(
    "run-unreadable",
    t("{0} cannot be read: {1}", file, why),
    t("Check that the file is there and that you may read it."),
    { cause },
  );
}

const SHA256 = /^[0-9a-f]{64}$/;

/**
 * Text of a file in the run folder; a link that leads out of it is not followed.
 * @param sha256 of its bytes, where it is known: a file with others is not the one that is meant
 */
export async function readInside(folder: string, relative: string, sha256: string): Promise<string | undefined> {
  try {
    const root = await fs.realpath(folder);
    const real = await fs.realpath(path.join(root, relative));
    if (!isBelow(root, real)) return undefined;
    const bytes = await readWhole(real);
    if (bytes === undefined) return undefined;
    const isMeant = !SHA256.test(sha256) || createHash("sha256").update(bytes).digest("hex") === sha256;
    return isMeant ? bytes.toString("utf8") : undefined;
  } catch {
    return undefined;
  }
}

/** The whole lines among a file's last `bytes`, newest first; undefined where the file is missing. */
export async function readLastLines(file: string, bytes: number): Promise<string[] | undefined> {
  const text = await readTail(file, bytes);
  return text
    ?.slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .reverse();
}

/**
 * A file's last `bytes` as text, where bytes that are no UTF-8 stand as U+FFFD; undefined where it is missing.
 * @throws UserError `run-unreadable`
 */
export async function readTail(file: string, bytes: number): Promise<string | undefined> {
  // A pipe in its place would be waited for without end.
  if ((await orMissing(fs.stat(file), file))?.isFile() !== true) return undefined;
  const handle = await orMissing(fs.open(file, "r"), file);
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, bytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
