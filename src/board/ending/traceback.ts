/**
 * Python's tracebacks in a script's error output: of any version, with chained exceptions, groups, markers under the
 * code, several threads and workers. The text is untrusted, may be cut off at both ends, and is read once from top to
 * bottom.
 */
import { defined } from "../../profile/defined.ts";

export interface TracebackFrame {
  /** As Python printed it. */
  readonly path: string;
  readonly line: number;
  readonly function?: string;
  readonly text?: string;
}

export interface Traceback {
  /** Outermost first. */
  readonly frames: readonly TracebackFrame[];
  /** The exception's type and message, of several lines where it has more; empty where the text ends before it. */
  readonly message: string;
  /** How it came after the one before it. `worker`: the same error as it was raised in a worker process. */
  readonly link: "first" | "during" | "cause" | "worker" | "group";
  /** Where it begins in the text. */
  readonly start: number;
}

/** The lines of a message that are kept; at a blank one it ends, or nobody can tell where. */
const MESSAGE_LINES = 20;

const HEADER = /^(?:\+ )?(Exception Group |Original )?Traceback \(most recent call last\):\s*$/;
const FRAME = /^\s+File "(.{1,4096})", line (\d{1,9})(?:, in (.{1,1000}))?$/;
const EXCEPTION = /^[\p{L}_][\p{L}\p{N}_.]*(?::(?: |$)|$)/u;
const MARKERS = /^[\s~^]*$/;
const REPEATED = /^\s+\[Previous line repeated \d+ more times?\]$/;
const IN_PASSING = /^Exception (?:ignored |in thread )/;
const DURING = "During handling of the above exception, another exception occurred:";
const CAUSE = "The above exception was the direct cause of the following exception:";

interface Open {
  readonly frames: { path: string; line: number; function?: string; text?: string }[];
  readonly message: string[];
  readonly link: Traceback["link"];
  readonly start: number;
  readonly inGroup: boolean;
  /** Below the exception's line. */
  raised: boolean;
  /** Below the message. */
  ended: boolean;
}

/**
 * The last exception in the text with those that led to it, in the order in which they are printed; empty where there
 * is none. What Python only mentions in passing (a thread's exception, one ignored while the program ends) does not
 * count.
 */
export function lastTracebacks(text: string): readonly Traceback[] {
  let result: Open[] = [];
  let chain: Open[] = result;
  let link: Traceback["link"] | undefined;
  let before = "";

  function begin({ start, inGroup }: Line, inWorker: boolean): void {
    const next = link ?? (inGroup && chain.at(-1)?.inGroup ? "group" : "first");
    const how = inWorker ? "worker" : next;
    if (how === "first") {
      chain = [];
      if (!IN_PASSING.test(before)) result = chain;
    }
    chain.push({ frames: [], message: [], link: how, start, inGroup, raised: false, ended: false });
    link = undefined;
  }

  for (const line of withoutGroupMarks(linesOf(text))) {
    const header = HEADER.exec(line.text.trimStart());
    const open = chain.at(-1);
    if (header !== null) begin(line, header[1] === "Original ");
    else if (line.text.includes(DURING)) link = "during";
    else if (line.text.includes(CAUSE)) link = "cause";
    else if (open !== undefined) take(open, line.text);
    else if (FRAME.test(line.text)) {
      // The text begins inside a traceback.
      begin(line, false);
      for (const cut of chain) take(cut, line.text);
    }
    if (line.text.trim() !== "") before = line.text;
  }
  return result.map(({ frames, message, link, start }) => ({
    frames,
    message: message.join("\n").trimEnd(),
    link,
    start,
  }));
}

function take(open: Open, line: string): void {
  if (open.raised) {
    if (line.trim() === "") open.ended = true;
    if (!open.ended && open.message.length < MESSAGE_LINES) open.message.push(line);
    return;
  }
  const frame = FRAME.exec(line);
  if (frame !== null) {
    const [, path = "", number, name] = frame;
    open.frames.push({ path, line: Math.max(1, Number(number)), ...defined({ function: name }) });
  } else if (EXCEPTION.test(line)) {
    open.raised = true;
    open.message.push(line);
  } else if (/^\s/.test(line) && !MARKERS.test(line) && !REPEATED.test(line)) {
    const last = open.frames.at(-1);
    // Of a statement of several lines Python 3.13 prints more than its first.
    if (last !== undefined && last.text === undefined) last.text = line.trim();
  }
}

interface Line {
  readonly text: string;
  readonly start: number;
  readonly inGroup: boolean;
}

/** Inside an exception group each line stands behind a frame of `|`, `+` and `-`. */
function* withoutGroupMarks(lines: Iterable<Omit<Line, "inGroup">>): Generator<Line> {
  let inGroup = false;
  for (const { text, start } of lines) {
    if (/^ *\+ Exception Group Traceback/.test(text)) inGroup = true;
    // The further lines of a message stand outside the frame, so that only another traceback ends the group.
    else if (text.startsWith("Traceback (")) inGroup = false;
    yield { text: inGroup ? text.replace(/^ *(?:\| ?|\+ |\+[-+\d ]*$)/, "") : text, start, inGroup };
  }
}

function* linesOf(text: string): Generator<Omit<Line, "inGroup">> {
  let start = 0;
  // A progress bar ends its line with a carriage return alone.
  for (const end of text.matchAll(/\r\n|\n|\r|$/g)) {
    const line = text.slice(start, end.index);
    yield { text: line.includes("\u001B") ? withoutColors(line) : line, start };
    start = end.index + end[0].length;
  }
}

function withoutColors(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors begin with the escape character.
  return line.replace(/\u001B\[[\d;]{0,20}m/g, "");
}
