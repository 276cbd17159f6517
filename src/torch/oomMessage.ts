/**
 * PyTorch's own "CUDA out of memory" message, of every release. Its wording changed with 2.1; within each wording parts
 * came and went, so each figure is looked for by itself and one that is not there stays absent.
 */

/** The figures in PyTorch's own "CUDA out of memory" message. Bytes, rounded as PyTorch prints them. */
export interface CudaOom {
  /** The message's wording: PyTorch up to 2.0, or 2.1 and later. */
  readonly form: "up-to-2.0" | "from-2.1";
  readonly device?: number;
  readonly tried: number;
  readonly total?: number;
  readonly free?: number;
  readonly allocated?: number;
  /** Reserved by the allocator in all (up to 2.0; `cached` before 1.4). */
  readonly reserved?: number;
  /** Reserved but not allocated (from 2.1). */
  readonly unallocated?: number;
  /** In use by this process, with what is not PyTorch's (from 2.1). */
  readonly inUse?: number;
}

const START = "out of memory. Tried to allocate ";
/** The longest message is some 800 characters; what is further away belongs to something else. */
const LONGEST = 2_000;
const SIZE = String.raw`(\d{1,15}(?:\.\d{1,6})?) (bytes|KiB|MiB|GiB)`;

const TRIED = new RegExp(String.raw`^${SIZE}(?: \(GPU (\d{1,4});|\. GPU (\d{1,4})(?!\d))`);
const FIGURES = {
  "up-to-2.0": {
    total: new RegExp(`${SIZE} total capacity`),
    free: new RegExp(`${SIZE} free`),
    allocated: new RegExp(`${SIZE} already allocated`),
    reserved: new RegExp(`${SIZE} (?:cached|reserved in total)`),
  },
  "from-2.1": {
    // PyTorch 2.1 itself spells it "capacty".
    total: new RegExp(`total capaci?ty of ${SIZE}`),
    free: new RegExp(`of which ${SIZE} is free`),
    allocated: new RegExp(`Of the allocated memory ${SIZE} is allocated by PyTorch`),
    unallocated: new RegExp(`${SIZE} is reserved by PyTorch but unallocated`),
    inUse: new RegExp(`this process has ${SIZE} memory in use`),
  },
} as const;

/** The last such message in `text`; undefined where there is none that tells how much was asked for. */
export function parseCudaOom(text: string): CudaOom | undefined {
  let end = text.length;
  while (end > 0) {
    const start = text.lastIndexOf(START, end - 1);
    if (start < 0) return undefined;
    const found = parseMessage(text.slice(start + START.length, start + START.length + LONGEST));
    if (found !== undefined) return found;
    end = start;
  }
  return undefined;
}

function parseMessage(rest: string): CudaOom | undefined {
  const line = rest.split(/[\r\n]/, 1)[0] ?? "";
  const head = TRIED.exec(line);
  const tried = head === null ? undefined : sizeOf(head);
  if (head === null || tried === undefined) return undefined;
  const form = head[3] === undefined ? "from-2.1" : "up-to-2.0";
  const figures: Record<string, number> = {};
  for (const [name, pattern] of Object.entries(FIGURES[form])) {
    const found = pattern.exec(line);
    const bytes = found === null ? undefined : sizeOf(found);
    if (bytes !== undefined) figures[name] = bytes;
  }
  return { form, device: Number(head[3] ?? head[4]), tried, ...figures };
}

const UNITS: Readonly<Record<string, number>> = { bytes: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** Of a match whose first two groups are SIZE's. */
function sizeOf([, amount, unit]: RegExpExecArray): number | undefined {
  const factor = UNITS[unit ?? ""];
  return amount === undefined || factor === undefined ? undefined : Math.round(Number(amount) * factor);
}
