/** What a reader of untrusted input must be told about to be fuzzed. */
import type { Random } from "../support/random.ts";

export interface FuzzReader {
  /** As a reader of docs/reliability.md understands it: "tegrastats lines". */
  readonly name: string;
  /** Inputs of the short form, as many as it reads in about two seconds. */
  readonly short: number;
  /** Small and real-looking; what is larger than LARGEST_INPUT is cut off there. */
  readonly samples: readonly [Sample, ...Sample[]];
  /** Pieces of the grammar, which damage is also made of. */
  readonly pieces?: readonly string[];
  /** Files and folders below ../shared/fixtures whose files are samples too where they are there. */
  readonly fixtures?: readonly string[];
  /**
   * Reads one input, in a process whose working folder is its own and is removed afterwards, and checks what came of it. A UserError means that it was refused; any other is a finding.
   * @param random for what is not part of the input, such as where it is cut into chunks
   */
  read(input: Uint8Array, random: Random): Outcome | Promise<Outcome>;
}

export type Sample = string | Uint8Array;
export type Outcome = "read" | "refused";

/** Throws a finding. */
export function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

/** Every number in `value` is finite, however deep; maps, sets and typed arrays too. */
export function demandFinite(value: unknown, what = "the result"): void {
  const waiting: { readonly one: unknown; readonly at: string }[] = [{ one: value, at: what }];
  const seen = new Set<object>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { one, at } = next;
    if (typeof one === "number" && !Number.isFinite(one)) throw new Error(`${at} is ${one}`);
    if (typeof one !== "object" || one === null || seen.has(one)) continue;
    seen.add(one);
    if (ArrayBuffer.isView(one)) demandFiniteColumn(one as unknown as Iterable<number | bigint>, at);
    else if (one instanceof Map) for (const [key, part] of one) waiting.push({ one: key, at }, { one: part, at });
    else if (one instanceof Set) for (const part of one) waiting.push({ one: part, at });
    else for (const [key, part] of Object.entries(one)) waiting.push({ one: part, at: key });
  }
}

function demandFiniteColumn(column: Iterable<number | bigint>, at: string): void {
  for (const one of column) demand(typeof one === "bigint" || Number.isFinite(one), `${at} has ${one}`);
}

/** Text that a terminal shows and does nothing else with; lines may end. */
export function demandPrintable(text: string, what: string): void {
  const harmful = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.exec(text);
  demand(harmful === null, `${what} has control characters: ${JSON.stringify(text.slice(0, 1000))}`);
}

/** A path that stays inside the folder it is joined to, on Windows too. */
export function demandInside(path: string, what: string): void {
  const inside = !/^[A-Za-z]:|\0/.test(path) && path.split(/[/\\]/).every((part) => !["", ".", ".."].includes(part));
  demand(inside, `${what} climbs: ${JSON.stringify(path)}`);
}
