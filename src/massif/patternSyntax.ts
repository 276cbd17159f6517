/** Reads regular expressions as JavaScript writes them, except what a matcher without backtracking cannot have. */

export type Test = (code: number) => boolean;
/** Looks at the characters before and after a place; NaN where the text begins or ends. */
export type Assertion = (before: number, after: number) => boolean;

export type Syntax =
  | { readonly kind: "character"; readonly test: Test }
  | { readonly kind: "assertion"; readonly holds: Assertion }
  | { readonly kind: "sequence"; readonly parts: readonly Syntax[] }
  | { readonly kind: "choice"; readonly branches: readonly Syntax[] }
  | { readonly kind: "repeat"; readonly part: Syntax; readonly least: number; readonly most: number };

/** Its message is a sentence for the person who typed the expression. */
export class PatternError extends Error {}

const MAX_NESTING = 100;

/**
 * @param source what `new RegExp` takes without flags
 * @throws PatternError
 */
export function parsePattern(source: string): Syntax {
  let at = 0;
  let nesting = 0;

  function choice(): Syntax {
    if (++nesting > MAX_NESTING) {
      throw new PatternError("This regular expression is nested too deeply. Use a simpler one.");
    }
    const branches = [sequence()];
    while (source[at] === "|") {
      at++;
      branches.push(sequence());
    }
    nesting--;
    return { kind: "choice", branches };
  }

  function sequence(): Syntax {
    const parts: Syntax[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") {
      const part = atom();
      const bounds = quantifier();
      parts.push(bounds === undefined ? part : { kind: "repeat", part, ...bounds });
    }
    return { kind: "sequence", parts };
  }

  function quantifier(): { readonly least: number; readonly most: number } | undefined {
    const [text, least = "", comma, most = ""] = take(/\{(\d+)(,?)(\d*)\}/y) ?? [];
    const simple = text === undefined ? QUANTIFIERS[source[at] ?? ""] : undefined;
    if (simple !== undefined) at++;
    const bounds =
      text === undefined
        ? simple
        : { least: Number(least), most: comma === "" ? Number(least) : most === "" ? Infinity : Number(most) };
    // What is preferred makes no difference to whether there is a match.
    if (bounds !== undefined && source[at] === "?") at++;
    return bounds;
  }

  function atom(): Syntax {
    const character = source[at++];
    switch (character) {
      case "(":
        return group();
      case "[":
        return { kind: "character", test: characterClass() };
      case ".":
        return { kind: "character", test: (code) => !LINE_ENDS.includes(code) };
      case "^":
        return { kind: "assertion", holds: (before) => Number.isNaN(before) };
      case "$":
        return { kind: "assertion", holds: (_, after) => Number.isNaN(after) };
      case "\\": {
        const edge = take(/[bB]/y)?.[0];
        if (edge !== undefined) return { kind: "assertion", holds: wordEdge(edge === "b") };
        return { kind: "character", test: escaped().test };
      }
      default:
        return { kind: "character", test: isCode(source.charCodeAt(at - 1)) };
    }
  }

  function group(): Syntax {
    if (take(/\?(?::|<[^=!>][^>]*>)/y) === undefined && source[at] === "?") {
      throw new PatternError("Of the groups that begin with (? this search knows only (?:…) and named ones.");
    }
    const inner = choice();
    at++;
    return inner;
  }

  /** Of a single character `code` is its number, so that it can be an end of a range. */
  function escaped(): { readonly test: Test; readonly code?: number } {
    const [, two, four] = take(/x([\da-f]{2})|u([\da-f]{4})/iy) ?? [];
    const hexadecimal = two ?? four;
    if (hexadecimal !== undefined) return single(Number.parseInt(hexadecimal, 16));
    const character = source[at++] ?? "";
    const set = ESCAPED_SETS[character];
    if (set !== undefined) return { test: set };
    if (/[1-9ck]/.test(character)) throw new PatternError(`This search does not know \\${character}.`);
    return single(ESCAPED_CODES[character] ?? character.charCodeAt(0));
  }

  function characterClass(): Test {
    const negated = take(/\^/y) !== undefined;
    const tests: Test[] = [];
    while (source[at] !== "]") {
      const low = member();
      if (source[at] !== "-" || source[at + 1] === "]") {
        tests.push(low.test);
        continue;
      }
      at++;
      const high = member();
      if (low.code === undefined || high.code === undefined) tests.push(low.test, isCode(HYPHEN), high.test);
      else tests.push(isBetween(low.code, high.code));
    }
    at++;
    return (code) => tests.some((test) => test(code)) !== negated;
  }

  function member(): { readonly test: Test; readonly code?: number } {
    if (take(/\\b/y) !== undefined) return single(BACKSPACE);
    if (take(/\\/y) !== undefined) return escaped();
    return single(source.charCodeAt(at++));
  }

  function take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = at;
    const found = expression.exec(source) ?? undefined;
    at += found?.[0].length ?? 0;
    return found;
  }

  return choice();
}

const QUANTIFIERS: Readonly<Record<string, { readonly least: number; readonly most: number }>> = {
  "*": { least: 0, most: Infinity },
  "+": { least: 1, most: Infinity },
  "?": { least: 0, most: 1 },
};
const HYPHEN = 45;
const BACKSPACE = 8;
const LINE_ENDS: readonly number[] = [0x0a, 0x0d, 0x2028, 0x2029];
const ESCAPED_CODES: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, "0": 0 };

const isCode =
  (wanted: number): Test =>
  (code) =>
    code === wanted;
const isBetween =
  (low: number, high: number): Test =>
  (code) =>
    code >= low && code <= high;
const single = (code: number) => ({ test: isCode(code), code });
const isDigit = isBetween(48, 57);
const isWord: Test = (code) => isDigit(code) || isBetween(65, 90)(code) || isBetween(97, 122)(code) || code === 95;
const isBlank: Test = (code) => /\s/.test(String.fromCharCode(code));
const not =
  (test: Test): Test =>
  (code) =>
    !test(code);
const ESCAPED_SETS: Readonly<Record<string, Test>> = {
  d: isDigit,
  D: not(isDigit),
  w: isWord,
  W: not(isWord),
  s: isBlank,
  S: not(isBlank),
};

function wordEdge(wanted: boolean): Assertion {
  return (before, after) => (isWord(before) !== isWord(after)) === wanted;
}
