/** What a script printed before this window followed it: the end of what its run folder has. */
import * as fs from "node:fs";
import * as path from "node:path";
import { formatBytes } from "../../../profile/text/format.ts";
import { type Phrase, phrase, say, t } from "../../../words/t.ts";
import type { OutputStream } from "../../terminal/outputThrottle.ts";

export interface EarlierOutput {
  readonly stream: OutputStream;
  readonly data: Uint8Array;
  /** What stands above it. */
  readonly title: string;
}

/** Bytes of each stream. */
const MOST_SHOWN = 256 * 1024;
/** A link is not followed, and a pipe without a writer is not waited for. Windows has neither. */
const HARMLESS = (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
const NEWLINE = 10;
const NAMES: Readonly<Record<OutputStream, Phrase>> = { stdout: phrase("Output"), stderr: phrase("Error output") };

/**
 * Read at once, as nothing may be added between this and the first bytes that come over the connection. The order of
 * the two streams to each other is not recorded, so they are not mixed.
 */
export function earlierOutput(runFolder: string, most = MOST_SHOWN): readonly EarlierOutput[] {
  return (["stdout", "stderr"] as const).flatMap((stream) => {
    const found = endOf(path.join(runFolder, `${stream}.log`), most);
    if (found === undefined) return [];
    const before = found.skipped === 0 ? "" : t(", without its first {0}", formatBytes(found.skipped));
    return [{ stream, data: found.data, title: t("{0} until now{1}:", say(NAMES[stream]), before) }];
  });
}

function endOf(file: string, most: number): { readonly data: Buffer; readonly skipped: number } | undefined {
  let handle: number | undefined;
  try {
    handle = fs.openSync(file, fs.constants.O_RDONLY | HARMLESS);
    const found = fs.fstatSync(handle);
    if (!found.isFile()) return undefined;
    const { size } = found;
    const data = Buffer.alloc(Math.min(size, most));
    const read = fs.readSync(handle, data, 0, data.length, size - data.length);
    // Whole lines, where it has any.
    const start = size > most ? data.indexOf(NEWLINE) + 1 : 0;
    return read === 0 ? undefined : { data: data.subarray(start, read), skipped: size - data.length + start };
  } catch {
    // The run folder has none, or it is a link: the output that comes is shown all the same.
    return undefined;
  } finally {
    if (handle !== undefined) fs.closeSync(handle);
  }
}
