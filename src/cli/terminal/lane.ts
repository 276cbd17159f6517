/** Several runs at once in one terminal: each line says whose it is, and questions come one after the other. */

import { createTurns, type InTurn } from "../../profile/turns.ts";
import type { Output } from "./output.ts";

export interface Lane {
  /** Before each line. */
  readonly name: string;
  /** Waits until no other lane asks anything. */
  readonly inTurn: InTurn;
}

/** @returns makes the lane of a name */
export function createLanes(): (name: string) => Lane {
  const inTurn = createTurns();
  return (name) => ({ name, inTurn });
}

/** The same output, each line with the lane's name before it; nothing is written over. */
export function namedLines(output: Output, { name }: Lane): Output {
  let isWithin = false;
  return {
    isTerminal: false,
    get columns() {
      return output.columns;
    },
    ended: output.ended,
    get fault() {
      return output.fault;
    },
    flushed: () => output.flushed(),
    write(data) {
      const lines = (typeof data === "string" ? data : Buffer.from(data).toString("utf8")).split("\n");
      const named = lines.map((line, at) => (line === "" || (at === 0 && isWithin) ? line : `[${name}] ${line}`));
      const last = lines.at(-1) ?? "";
      isWithin = last !== "" || (lines.length === 1 && isWithin);
      output.write(named.join("\n"));
    },
  };
}
