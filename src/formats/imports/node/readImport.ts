/** A file on disk read into a run. */
import * as fs from "node:fs";
import * as path from "node:path";
import { defined } from "../../../profile/defined.ts";
import { isBelow } from "../../../profile/files/relativePath.ts";
import { formatBytes } from "../../../profile/text/format.ts";
import { UserError } from "../../../profile/userError.ts";
import { t } from "../../../words/t.ts";
import type { ImportedRun } from "../../model.ts";
import type { ProjectFiles } from "../importer.ts";
import { formatReader, type ImportChoices } from "../importers.ts";
import { createLogReader } from "../text/logReader.ts";

/** Such a log takes some 20 s to read; what is no log is held whole. */
export const MOST_BYTES = 256 * 1024 * 1024;
/** More than what formats are told by (HEAD_BYTES). */
const CHUNK_BYTES = 1024 * 1024;
const MOST_SOURCE_BYTES = 16 * 1024 * 1024;

export interface ImportRequest extends ImportChoices {
  readonly file: string;
  /** Absolute path of the project's folder. */
  readonly project: string;
  /** The project's file that the figures belong to. */
  readonly source?: string;
}

/**
 * @param signal aborted, the reading rejects with its reason
 * @throws UserError `import-unreadable`, `import-too-large`, and as importContent
 */
export async function readImport(
  { file, project, source, ...choices }: ImportRequest,
  signal?: AbortSignal,
): Promise<ImportedRun> {
  const { size, modified } = await checked(file);
  const context = {
    file: path.basename(file),
    modified,
    project: projectFiles(project),
    ...defined({ source }),
  };
  const chunks = chunksOf(file, size, signal);
  const { value: head = new Uint8Array() } = await chunks.next();
  const reader = formatReader(head, choices, context.file);
  if (reader.kind === "log") {
    const log = createLogReader(reader.open, context);
    log.push(head);
    for await (const chunk of chunks) log.push(chunk);
    return log.end();
  }
  const content = new Uint8Array(size);
  content.set(head);
  let length = head.length;
  for await (const chunk of chunks) {
    content.set(chunk, length);
    length += chunk.length;
  }
  return reader.read(content.subarray(0, length), context);
}

async function checked(file: string): Promise<{ readonly size: number; readonly modified: Date }> {
  const stat = await fs.promises.stat(file).catch((error) => {
    throw unread(file, error);
  });
  // A pipe would be waited for.
  if (!stat.isFile()) throw unreadable(file, stat.isDirectory() ? t("it is a folder") : t("it is not a plain file"));
  if (stat.size > MOST_BYTES) {
    throw new UserError(
      "import-too-large",
      t("{0} has {1}; files of up to {2} can be imported.", file, formatBytes(stat.size), formatBytes(MOST_BYTES)),
      t("Cut the log into parts, or write a shorter one (a larger interval, fewer frames)."),
    );
  }
  return { size: stat.size, modified: stat.mtime };
}

/** The file's first `size` bytes; a log may grow while it is read. */
async function* chunksOf(
  file: string,
  size: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, undefined> {
  if (size === 0) return;
  const stream = fs.createReadStream(file, { end: size - 1, highWaterMark: CHUNK_BYTES });
  try {
    for await (const chunk of stream) {
      signal?.throwIfAborted();
      yield chunk as Uint8Array;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw unread(file, error);
  }
}

function unread(file: string, error: unknown): UserError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = code === "ENOENT" ? t("it does not exist") : code === "EACCES" ? t("you may not read it") : message;
  return unreadable(file, why, error);
}

function unreadable(file: string, why: string, cause?: unknown): UserError {
  return new UserError(
    "import-unreadable",
    t("{0} cannot be read: {1}.", file, why),
    t("Check the file's name, and that you may read it."),
    {
      cause,
    },
  );
}

/** Sources of the project, each read once; nothing outside of its folder is. */
function projectFiles(folder: string): ProjectFiles {
  const known = new Map<string, { readonly text: string; readonly modified: Date } | undefined>();
  const read = (relative: string) => {
    try {
      const root = fs.realpathSync(folder);
      const real = fs.realpathSync(path.join(root, relative));
      const stat = fs.statSync(real);
      if (!isBelow(root, real) || !stat.isFile() || stat.size > MOST_SOURCE_BYTES) return undefined;
      return { text: fs.readFileSync(real, "utf8"), modified: stat.mtime };
    } catch {
      return undefined;
    }
  };
  return {
    root: path.resolve(folder).replaceAll("\\", "/"),
    source(relative) {
      if (!known.has(relative)) known.set(relative, read(relative));
      return known.get(relative);
    },
  };
}
