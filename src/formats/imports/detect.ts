/** Which tool wrote a file, by its content; names of files say little. Pure. */
import { parseTegrastats } from "../../board/parse/tegrastats.ts";
import type { ImportFormat } from "../../profile/model.ts";
import { isOwnCsv } from "./own/ownCsv.ts";
import { decodeText } from "./text/decodeText.ts";

/** So much of a file is looked at; logs may begin with other output. */
export const HEAD_BYTES = 256 * 1024;

/** Sizes may have separators of thousands, blanks among them. */
const SIZE = String.raw`-?\d[\d.,'’ \u00a0\u2009\u202f]{0,29}[KMG]?i?B`;
const ROW = new RegExp(String.raw`^[ \t]{0,20}\d+[ \t]+${SIZE}[ \t]*${SIZE}(?:\s|$)`, "im");
const REPORT = /^[ \t]{0,20}Line #[ \t]+Mem usage[ \t]+Increment[ \t]+/m;
const MPROF = /^(?:CMDLINE .*|MEM -?[\d.,]+(?:e[+-]?\d+)? \d+[.,]\d+|(?:CHLD|FUNC) \S+ [\d.,]+ .*)\r?$/m;
const MASSIF = /^(?:\uFEFF)?desc:.*\r?\ncmd:/;

/** @param bytes the file's beginning, at most HEAD_BYTES; undefined where no tool's file begins so */
export function detectFormat(bytes: Uint8Array): ImportFormat | undefined {
  const head = bytes.subarray(0, HEAD_BYTES);
  if (head[0] === 0x80) return isSnapshot(head) ? "tracemalloc" : undefined;
  const { text } = decodeText(head);
  if (/^\uFEFF?\s*[{[]/.test(text)) return jsonFormat(text);
  if (/^\uFEFF?allocator,num_allocations,size,/.test(text)) return "memray";
  if (/^\s*<(?:!DOCTYPE|html)/i.test(text)) return /<title>memray\b/i.test(text) ? "memray" : undefined;
  if (MASSIF.test(text)) return "massif";
  if (MPROF.test(text)) return "mprof";
  if (REPORT.test(text) || ROW.test(text)) return "memory_profiler";
  if (text.split(/[\r\n]+/).some((line) => parseTegrastats(line) !== undefined)) return "tegrastats";
  return isOwnCsv(text) ? "jetson-memprof" : undefined;
}

/** The first thing in a dumped snapshot is the name of its class. */
function isSnapshot(head: Uint8Array): boolean {
  const begin = new TextDecoder("latin1").decode(head.subarray(0, 200));
  return begin.includes("tracemalloc") && begin.includes("Snapshot");
}

function jsonFormat(text: string): ImportFormat | undefined {
  if (/"top_allocations_by_size"\s*:/.test(text)) return "memray";
  if (/"schema"\s*:\s*\d/.test(text) && /"run"\s*:\s*\{/.test(text)) return "jetson-memprof";
  // Written with sorted keys or not: "files" may come after what fills the first pieces of the file.
  if (/"(?:n_peak_mb|n_malloc_mb|alloc_samples|max_footprint_mb|entrypoint_dir)"\s*:/.test(text)) return "scalene";
  return undefined;
}
