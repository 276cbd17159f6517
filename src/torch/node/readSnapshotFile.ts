/** A snapshot's file on disk, read piece by piece: others have their turn in between, and it may be stopped. */
import * as fs from "node:fs/promises";
import { formatBytes } from "../../profile/text/format.ts";
import { UserError } from "../../profile/userError.ts";
import { type Phrase, phrase, say, t } from "../../words/t.ts";
import { tooLarge } from "../pickle/errors.ts";
import { LIMITS } from "../pickle/limits.ts";
import type { Snapshot } from "../snapshot/model.ts";
import { createSnapshotReader } from "../snapshot/reading/readSnapshot.ts";

const CHUNK_BYTES = 1024 * 1024;

/**
 * @param signal stops the reading; the promise is rejected with its reason then
 * @throws UserError `snapshot-unreadable`, and as SnapshotReader
 */
export async function readSnapshotFile(file: string, signal?: AbortSignal): Promise<Snapshot> {
  try {
    // A named pipe would be waited for.
    const stats = await fs.stat(file);
    if (!stats.isFile())
      throw unreadable(file, stats.isDirectory() ? t("it is a folder") : t("it is not a plain file"));
    if (stats.size > LIMITS.file) throw tooLarge(t("The file is larger than {0}.", formatBytes(LIMITS.file)));
    const handle = await fs.open(file);
    try {
      return await readAll(handle, stats.size, signal);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw asUnreadable(error, file);
  }
}

async function readAll(handle: fs.FileHandle, size: number, signal: AbortSignal | undefined): Promise<Snapshot> {
  const reader = createSnapshotReader(size);
  for (;;) {
    signal?.throwIfAborted();
    // A new one each time: the reader may keep the end of a piece until it has the next.
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES);
    if (bytesRead === 0) return reader.finish();
    reader.push(buffer.subarray(0, bytesRead));
  }
}

const REASONS: Readonly<Record<string, Phrase>> = {
  ENOENT: phrase("it is not there"),
  ENOTDIR: phrase("it is not there"),
  EACCES: phrase("you are not allowed to read it"),
  EPERM: phrase("you are not allowed to read it"),
};

function reasonOf(code: string): string | undefined {
  const reason = REASONS[code];
  return reason === undefined ? undefined : say(reason);
}

function asUnreadable(error: unknown, file: string): unknown {
  const { code } = error as { readonly code?: unknown };
  if (error instanceof UserError || typeof code !== "string") return error;
  return unreadable(file, reasonOf(code) ?? (error as Error).message, error);
}

function unreadable(file: string, why: string, cause?: unknown): UserError {
  return new UserError(
    "snapshot-unreadable",
    t("The file {0} cannot be read: {1}.", file, why),
    t("Check that the file is still there and that you may read it."),
    { cause },
  );
}
