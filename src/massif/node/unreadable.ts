/** Files that are opened although anybody may have made them. */
import type { Stats } from "node:fs";
import { UserError } from "../../profile/userError.ts";

/** @throws UserError `massif-unreadable` for a folder, a named pipe and the like, which would be waited for */
export function checkIsFile(stats: Stats, file: string): void {
  if (stats.isFile()) return;
  throw unreadable(file, stats.isDirectory() ? "it is a folder" : "it is not a plain file");
}

/** What went wrong with a file, for people; a UserError stays as it is. */
export function asUnreadable(error: unknown, file: string): UserError {
  if (error instanceof UserError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return unreadable(file, (code === undefined ? undefined : REASONS[code]) ?? message, error);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it is not there",
  ENOTDIR: "it is not there",
  EACCES: "you are not allowed to read it",
  EPERM: "you are not allowed to read it",
  EISDIR: "it is a folder",
};

export function unreadable(file: string, why: string, cause?: unknown): UserError {
  return new UserError(
    "massif-unreadable",
    `The file ${file} cannot be read: ${why}.`,
    "Check that the file is still there and that you may read it.",
    { cause },
  );
}
