/** File frames of `sync-apply`: each file's digest first, then its bytes, and proof that they belong together. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { t } from "../../words/t.ts";
import { write } from "../helper/talk.ts";
import { identityOf, type ProjectFile } from "./walk.ts";

/** A file was changed or removed while it was being read. */
export class FileChanged extends Error {
  readonly path: string;

  constructor(path: string, options?: ErrorOptions) {
    super(t("{0} changed while it was being sent", path), options);
    this.name = "FileChanged";
    this.path = path;
  }
}

/** Read at once up to this size, so that a file cannot change between its digest and its bytes. */
const WHOLE = 1024 * 1024;
const CHUNK = 256 * 1024;
/** Follows no link, and waits for nobody at a pipe. Windows has neither. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export async function hashFile(root: string, file: ProjectFile): Promise<string> {
  return withFile(root, file, async (handle) => (await digest(handle)).sha256);
}

/** Sends the frames in order; `onBytes` is told of every piece written. Throws `FileChanged`. */
export async function sendFiles(
  stdin: Writable,
  root: string,
  files: readonly ProjectFile[],
  signal: AbortSignal,
  onBytes: (bytes: number, fileDone: boolean) => void,
): Promise<void> {
  for (const file of files) {
    signal.throwIfAborted();
    await withFile(root, file, (handle) => sendOne(stdin, file.path, handle, signal, onBytes));
  }
}

/** Whatever has taken the place of the file, or of a folder that it is in, since it was found is not read. */
async function withFile<T>(root: string, file: ProjectFile, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  let handle: FileHandle;
  try {
    handle = await open(join(root, file.from), READ);
  } catch (error) {
    throw new FileChanged(file.path, { cause: error });
  }
  try {
    const { dev, ino } = await handle.stat();
    if (identityOf({ dev, ino }) !== file.identity) throw new FileChanged(file.path);
    return await use(handle);
  } finally {
    await handle.close();
  }
}

async function sendOne(
  stdin: Writable,
  path: string,
  file: FileHandle,
  signal: AbortSignal,
  onBytes: (bytes: number, fileDone: boolean) => void,
): Promise<void> {
  const before = await file.stat();
  const header = (size: number, sha256: string): string =>
    `${JSON.stringify({
      path,
      size,
      mtime_ms: Math.floor(before.mtimeMs),
      executable: (before.mode & 0o100) !== 0,
      sha256,
    })}\n`;

  if (before.size <= WHOLE) {
    const data = await file.readFile();
    const after = await file.stat();
    if (data.length !== before.size || after.mtimeMs !== before.mtimeMs) throw new FileChanged(path);
    const head = Buffer.from(header(data.length, createHash("sha256").update(data).digest("hex")));
    // One packet for a small file, not two.
    await write(stdin, Buffer.concat([head, data]));
    onBytes(data.length, true);
    return;
  }
  const first = await digest(file);
  if (first.size !== before.size) throw new FileChanged(path);
  await write(stdin, header(first.size, first.sha256));
  const second = await digest(file, first.size, async (piece) => {
    signal.throwIfAborted();
    await write(stdin, piece);
    onBytes(piece.length, false);
  });
  const after = await file.stat();
  if (second.sha256 !== first.sha256 || after.size !== first.size) throw new FileChanged(path);
  onBytes(0, true);
}

/** Of the first `limit` bytes; `each` sees every piece in order. */
async function digest(
  file: FileHandle,
  limit = Number.MAX_SAFE_INTEGER,
  each?: (piece: Buffer) => Promise<void>,
): Promise<{ readonly size: number; readonly sha256: string }> {
  const hash = createHash("sha256");
  let size = 0;
  for (;;) {
    // A fresh buffer: a stream may still hold the piece before.
    const wanted = Math.min(CHUNK, limit - size);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, size);
    if (bytesRead === 0) return { size, sha256: hash.digest("hex") };
    const piece = buffer.subarray(0, bytesRead);
    hash.update(piece);
    size += bytesRead;
    await each?.(piece);
  }
}
