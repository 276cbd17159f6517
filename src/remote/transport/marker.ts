/** Telling what a board's start-up files print from what the program prints. */
import { Readable } from "node:stream";
import { printableLines } from "../../profile/text.ts";
import { UserError } from "../../profile/userError.ts";

/** More than a long banner; a board that prints without end is given up on. */
const NOISE_LIMIT = 256 * 1024;

/**
 * The bytes after the line that is exactly `marker`. Reading fails with `UserError` `no-shell` where the stream ends
 * or `NOISE_LIMIT` passes before it.
 */
export function afterMarker(
  source: Readable,
  marker: string,
  boardName: string,
  onNoise: (text: string) => void,
): Readable {
  return Readable.from(strip(source, Buffer.from(`\n${marker}\n`), boardName, onNoise), { objectMode: false });
}

async function* strip(
  source: Readable,
  marker: Buffer,
  boardName: string,
  onNoise: (text: string) => void,
): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of source as AsyncIterable<Buffer>) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const at = head.indexOf(marker);
    if (at >= 0) {
      if (at > 0) onNoise(head.toString("utf8", 0, at));
      const rest = head.subarray(at + marker.length);
      head = undefined;
      if (rest.length > 0) yield rest;
    } else if (head.length > NOISE_LIMIT) {
      throw noShell(boardName, head);
    }
  }
  if (head !== undefined) throw noShell(boardName, head);
}

function noShell(boardName: string, said: Buffer): UserError {
  const text = printableLines(said.toString("utf8", 0, 400)).trim();
  return new UserError(
    "no-shell",
    `The login shell on ${boardName} did not run the command${text === "" ? "." : `; it printed: ${text}`}`,
    `Check that "ssh ${boardName.replace(/^(.*):(\d+)$/, "-p $2 $1")} true" works in a terminal and that the account may run commands.`,
  );
}
