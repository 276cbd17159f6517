/** What a command prints, for tests. */
import type { Output } from "./output.ts";

export interface Collected extends Output {
  readonly pieces: readonly (string | Uint8Array)[];
  /** All of it, decoded as UTF-8. */
  text(): string;
}

export function collected(isTerminal = false, columns = 80): Collected {
  const pieces: (string | Uint8Array)[] = [];
  return {
    isTerminal,
    columns,
    pieces,
    ended: new Promise(() => {}),
    fault: undefined,
    write: (piece) => void pieces.push(piece),
    flushed: async () => {},
    text: () => Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString(),
  };
}
