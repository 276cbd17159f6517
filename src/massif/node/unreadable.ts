/** Files that are opened although anybody may have made them. */
import type { Stats } from "node:fs";
import { UserError } from "../../profile/userError.ts";
import { type Phrase, phrase, say, t } from "../../words/t.ts";

/** @throws UserError `massif-unreadable` for a folder, a named pipe and the like, which would be waited for */
export function checkIsFile(stats: Stats, file: string): void {
  if (stats.isFile()) return;
  throw unreadable(file, stats.isDirectory() ? t("it is a folder") : t("it is not a plain file"));
}

/** What went wrong with a file, for people; a UserError stays as it is. */
export function asUnreadable(error: unknown, file: string): UserError {
  if (error instanceof UserError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return unreadable(file, reasonOf(code) ?? message, error);
}

function reasonOf(code: string | undefined): string | undefined {
  const reason = code === undefined ? undefined : REASONS[code];
  return reason === undefined ? undefined : say(reason);
}

const REASONS: Readonly<Record<string, Phrase>> = {
  ENOENT: phrase("it is not there"),
  ENOTDIR: phrase("it is not there"),
  EACCES: phrase("you are not allowed to read it"),
  EPERM: phrase("you are not allowed to read it"),
  EISDIR: phrase("it is a folder"),
};

export function unreadable(file: string, why: string, cause?: unknown): UserError {
  return new UserError(
    "massif-unreadable",
    t("The file {0} cannot be read: {1}.", file, why),
    t("Check that the file is still there and that you may read it."),
    { cause },
  );
}
