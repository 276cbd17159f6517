/** /proc/meminfo. */
import type { Meminfo } from "../moments/model.ts";

/** Real ones have 60 lines. */
const TEXT_LIMIT = 64 * 1024;
const ROW = /^([A-Za-z][\w()]{0,63}):[ \t]*(\d{1,15})(?: (kB))?[ \t]*\r?$/gm;
/** Without a unit: pages of a size of their own, counted. */
const COUNT = /^HugePages_/;

/** Bytes by the kernel's names; the `HugePages_*` are counts. Rows that are none, or cut off, are left out. */
export function parseMeminfo(text: string): Meminfo {
  const figures: [string, number][] = [];
  for (const [, name = "", number, unit] of text.slice(0, TEXT_LIMIT).matchAll(ROW)) {
    if (unit === "kB") figures.push([name, Number(number) * 1024]);
    else if (COUNT.test(name)) figures.push([name, Number(number)]);
  }
  return Object.fromEntries(figures);
}
