/** What a label of massif's tree says. */
import { defined } from "../../profile/defined.ts";

export type ParsedLabel =
  /** `(heap allocation functions) malloc/new/new[], --alloc-fns, etc.` or, for pages, `(page allocation syscalls) …`. */
  | { readonly kind: "all" }
  | { readonly kind: "below-threshold"; readonly places: number; readonly percent?: number }
  | {
      readonly kind: "native";
      /** Absent where valgrind did not know it, and where the label has none. */
      readonly address?: bigint;
      /** Absent where valgrind printed `???`. */
      readonly function?: string;
      /** `file.c:12`. */
      readonly source?: string;
      readonly library?: string;
    };

const BELOW = /^in (\d{1,15}) places?, (?:all )?below massif's threshold(?: \((\d{1,9}(?:\.\d{1,15})?)%\))?$/;
const ADDRESS = /^(0x[0-9A-Fa-f]{1,16}): /;
const UNKNOWN_ADDRESS = 0xffff_ffff_ffff_ffffn;

/** Never throws; a label of no known form is native code whose function is the whole label. */
export function parseLabel(label: string): ParsedLabel {
  if (label.startsWith("(heap allocation functions)") || label.startsWith("(page allocation syscalls)")) {
    return { kind: "all" };
  }
  const below = BELOW.exec(label);
  if (below !== null) {
    const [, places = "", percent] = below;
    return {
      kind: "below-threshold",
      places: Number(places),
      ...defined({ percent: percent === undefined ? undefined : Number(percent) }),
    };
  }
  const hex = ADDRESS.exec(label)?.[1];
  if (hex === undefined) return { kind: "native", function: label };
  const address = BigInt(hex);
  return { kind: "native", ...(address === UNKNOWN_ADDRESS ? {} : { address }), ...code(label.slice(hex.length + 2)) };
}

/** `name (in library)`, `name (file:line)` or `name`; names and paths may hold parentheses themselves. */
function code(text: string): { function?: string; source?: string; library?: string } {
  const open = text.endsWith(")") ? lastGroup(text) : -1;
  if (open < 0) return named(text);
  const place = text.slice(open + 2, -1);
  const name = named(text.slice(0, open));
  if (place.startsWith("in ") && place.length > 3) return { ...name, library: place.slice(3) };
  if (/:\d+$/.test(place)) return { ...name, source: place };
  return named(text);
}

function named(name: string): { function?: string } {
  return name === "???" || name === "" ? {} : { function: name };
}

/** Where the last balanced ` (…)` begins; -1 where there is none. */
function lastGroup(text: string): number {
  let depth = 0;
  for (let at = text.length - 1; at > 0; at--) {
    const character = text.charCodeAt(at);
    if (character === 41) depth++;
    else if (character === 40 && --depth === 0) return text.charCodeAt(at - 1) === 32 ? at - 1 : -1;
  }
  return -1;
}
