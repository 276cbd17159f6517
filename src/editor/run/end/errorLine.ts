/** Why a script failed, in its own words: the last line it wrote to its standard error. */
import * as fs from "node:fs/promises";
import * as path from "node:path";

const TAIL_BYTES = 4096;
const MOST_CHARACTERS = 200;

/** Undefined where nothing was written, or it cannot be read. */
export async function lastErrorLine(runFolder: string): Promise<string | undefined> {
  let log: fs.FileHandle | undefined;
  try {
    log = await fs.open(path.join(runFolder, "stderr.log"));
    const { size } = await log.stat();
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    await log.read(tail, 0, tail.length, size - tail.length);
    return errorLine(tail.toString("utf8"));
  } catch {
    // It only makes a message clearer.
    return undefined;
  } finally {
    await log?.close();
  }
}

/** The last line with text, as a sentence. A progress bar overwrites its line: what it wrote last counts. */
export function errorLine(text: string): string | undefined {
  const last = text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .at(-1);
  if (last === undefined) return undefined;
  const short = last.length <= MOST_CHARACTERS ? last : `${last.slice(0, MOST_CHARACTERS - 1)}…`;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}
