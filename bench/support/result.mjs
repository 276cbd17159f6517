/** Writes the rows of one program; their shape is in bench/README.md, and is checked where they are read. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Ours: the extension's. */
export const version = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;

export function writeRows(file, rows) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(rows, undefined, 2)}\n`);
}
