/** What every program of rows can be told; see bench/README.md. */
import { parseArgs } from "node:util";

/** @param own options of the program's own, as `parseArgs` takes them; they also give a common one a default */
export function readOptions(own = {}) {
  const { values: options, positionals: names } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: "string" },
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      ...own,
    },
  });
  return { options, names };
}

/** For a program that judges its own figures too: exit code 1 where a bar is missed. */
export const CHECK = { check: { type: "boolean", default: false } };
