/**
 * The statements of a Python source as lines that can be compared: figures stand at a statement's first line, so one that
 * was wrapped over several lines must be found as the one it was.
 */

export interface Statements {
  /** Each statement, blank line or comment in one line, with the indentation of its first. */
  readonly texts: readonly string[];
  /** Where each begins, 1-based. */
  readonly first: readonly number[];
  /** Which of them each line is part of, by line number less one. */
  readonly of: Int32Array;
}

export function statementsOf(lines: readonly string[]): Statements {
  const texts: string[] = [];
  const first: number[] = [];
  const of = new Int32Array(lines.length);
  let state = OUTSIDE;
  for (const [at, line] of lines.entries()) {
    if (state === OUTSIDE) {
      texts.push(line);
      first.push(at + 1);
    } else texts[texts.length - 1] += ` ${line.trim()}`;
    of[at] = texts.length - 1;
    state = after(line, state);
  }
  // What is open at the end was read wrongly somewhere, as only Python itself reads all of Python: line by line then.
  return state === OUTSIDE ? { texts, first, of } : eachLine(lines);
}

function eachLine(lines: readonly string[]): Statements {
  return { texts: lines, first: lines.map((_, at) => at + 1), of: Int32Array.from(lines.keys()) };
}

/** What is open where a line ends. */
interface Open {
  readonly brackets: number;
  /** The quotes of a string that goes on in the next line. */
  readonly quotes: string;
  /** The line ends with a backslash. */
  readonly joined: boolean;
}

const OUTSIDE: Open = { brackets: 0, quotes: "", joined: false };

const TOKEN = /\\.|"""|'''|["'#()[\]{}]|\\$/g;
const STEPS: Readonly<Record<string, number>> = { "(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1 };

/** By characters' codes, all of which are below 128. */
const CODE_STEPS = Int8Array.from({ length: 128 }, (_, code) => STEPS[String.fromCharCode(code)] ?? 0);

/** What a line needs that can change what is open. */
const TELLING = /["'()[\]{}\\]/;

function after(line: string, state: Open): Open {
  if (!TELLING.test(line) && !state.joined) return state;
  if (state.quotes === "" && !/["'#\\]/.test(line)) return opened(state.brackets + depthOf(line), "", false);
  const { brackets, quotes } = state;
  let depth = brackets;
  let open = quotes;
  let joined = false;
  for (const { 0: token } of line.matchAll(TOKEN)) {
    joined = token === "\\";
    if (open !== "") open = inString(token, open);
    else if (token === "#") break;
    else if (/^["']/.test(token)) open = token;
    else depth = Math.max(0, depth + (STEPS[token] ?? 0));
  }
  // Only one in three quotes, or after a backslash, goes on.
  if (open.length === 1 && !joined) open = "";
  return opened(depth, open, joined);
}

function opened(brackets: number, quotes: string, joined: boolean): Open {
  return brackets <= 0 && quotes === "" && !joined ? OUTSIDE : { brackets, quotes, joined };
}

/** By how much a line without strings and comments opens more brackets than it closes: most lines are such. */
function depthOf(line: string): number {
  let depth = 0;
  for (let at = 0; at < line.length; at++) depth += CODE_STEPS[line.charCodeAt(at)] ?? 0;
  return depth;
}

/** @returns the quotes that are open after `token` */
function inString(token: string, open: string): string {
  if (token === open) return "";
  // Three quotes within a string of single ones: it ends, and an empty one follows, or begins and ends.
  return open.length === 1 && token === open.repeat(3) ? "" : open;
}
