/** Telling what a board's start-up files print from what the program prints. */
import { Readable } from "node:stream";
import { printableLines } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { growingBytes } from "../helper/growingBytes.ts";

/** More than a long banner; a board that prints without end is given up on. */
const NOISE_LIMIT = 256 * 1024;

export interface Noise {
  /** The board's, for messages. */
  readonly name: string;
  /** Is given what was printed before the marker. */
  readonly onNoise: (text: string) => void;
  /** Masks what must not be repeated. */
  readonly conceal: (text: string) => string;
  /** Whether the connection ended by itself. */
  readonly isLost: () => Promise<boolean>;
}

/**
 * The bytes after the line that is exactly `marker`. Reading fails with `UserError` `no-shell` where the stream ends
 * or `NOISE_LIMIT` passes before it; where the connection went there is nothing to read.
 */
export function afterMarker(source: Readable, marker: string, noise: Noise): Readable {
  return Readable.from(strip(source, Buffer.from(`\n${marker}\n`), noise), { objectMode: false });
}

async function* strip(source: Readable, marker: Buffer, noise: Noise): AsyncGenerator<Buffer> {
  const head = growingBytes();
  let found = false;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    if (found) {
      yield chunk;
      continue;
    }
    // The marker may have begun at the end of what came before.
    const from = Math.max(0, head.length - marker.length);
    head.add(chunk);
    const at = head.view().indexOf(marker, from);
    found = at >= 0;
    if (found) {
      const all = head.take();
      if (at > 0) noise.onNoise(noise.conceal(all.toString("utf8", 0, at)));
      const rest = all.subarray(at + marker.length);
      if (rest.length > 0) yield rest;
    } else if (head.length > NOISE_LIMIT) {
      throw noShell(noise, head.view());
    }
  }
  if (!found && !(await noise.isLost())) throw noShell(noise, head.view());
}

function noShell({ name, conceal }: Noise, said: Buffer): UserError {
  const text = printableLines(conceal(said.toString("utf8")))
    .trim()
    .slice(0, 400);
  return new UserError(
    "no-shell",
    text === ""
      ? t("The login shell on {0} did not run the command.", name)
      : t("The login shell on {0} did not run the command; it printed: {1}", name, text),
    t(
      'Check that "ssh {0} true" works in a terminal and that the account may run commands.',
      name.replace(/^(.*):(\d+)$/, "-p $2 $1"),
    ),
  );
}
