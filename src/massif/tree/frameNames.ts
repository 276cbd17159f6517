/** What people read for a frame. Names come from files that anybody may have written, so they are made printable. */
import { formatCount } from "../../profile/text/format.ts";
import { printable } from "../../profile/text/text.ts";
import { t } from "../../words/t.ts";
import type { Frame } from "../model.ts";

/** `train (models/train.py:33)`, `malloc (malloc.c:3315)`, `[libcudart.so.10.2]`, `below threshold (12 places)`. */
export function fullName(frame: Frame): string {
  if (frame.kind !== "python") return printable(named(frame, (text) => text));
  return printable(`${frame.function} (${frame.path}${lineOf(frame)})`);
}

/** `train.py:33 train`, so that the line is the last to be cut off; native names without template and call arguments. */
export function shortName(frame: Frame): string {
  if (frame.kind !== "python") return printable(named(frame, withoutArguments));
  return printable(`${fileName(frame.path)}${lineOf(frame)} ${frame.function}`);
}

/** Equal for equal frames. Frames below the threshold are equal whatever their number of places. */
export function frameKey(frame: Frame): string {
  switch (frame.kind) {
    case "python":
      return JSON.stringify(["python", frame.path, frame.line, frame.function, frame.exact]);
    case "native":
      return JSON.stringify(["native", frame.function ?? 0, frame.source ?? 0, frame.library ?? 0]);
    default:
      return frame.kind;
  }
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

type PythonFrame = Extract<Frame, { kind: "python" }>;

/** Where only the function is known, a line number would look like the line that allocated. */
function lineOf({ exact, line }: PythonFrame): string {
  return exact ? `:${line}` : "";
}

function named(frame: Exclude<Frame, PythonFrame>, functionName: (text: string) => string): string {
  switch (frame.kind) {
    case "native": {
      const library = frame.library === undefined ? undefined : fileName(frame.library);
      if (frame.function === undefined) return `[${library ?? "unknown"}]`;
      const place = frame.source ?? library;
      return place === undefined ? functionName(frame.function) : `${functionName(frame.function)} (${place})`;
    }
    case "below-threshold":
      return frame.places === 1
        ? t("below threshold (1 place)")
        : t("below threshold ({0} places)", formatCount(frame.places));
    case "all":
      return t("all");
  }
}

const OPERATOR = /(?<!\w)operator\s*(?:<=>|<<=|>>=|->\*|<<|>>|<=|>=|->|<|>|\(\))/y;
/** What follows the arguments of a function that only holds the one meant. */
const INNER = /(?: const)?(?:::|#)/y;

/**
 * A C++ function's name without what stands in `<…>` and `(…)`: `at::empty(int, std::vector<long>) const` is
 * `at::empty`. What is itself in brackets, as `(anonymous namespace)::f` or `(below main)`, stays.
 */
function withoutArguments(name: string): string {
  let result = "";
  let at = 0;
  while (at < name.length) {
    const character = name[at] ?? "";
    const operator = match(OPERATOR, name, at);
    if (operator !== undefined) {
      result += operator;
      at += operator.length;
    } else if (character === "(" || character === "<") {
      const end = closing(name, at);
      const isName = result === "" || (character === "(" && result.endsWith("::"));
      if (isName) result += name.slice(at, end);
      else if (character === "(" && match(INNER, name, end) === undefined) break;
      at = end;
    } else {
      result += character;
      at++;
    }
  }
  return result.trimEnd();
}

/** What a sticky expression finds at `at`. */
function match(expression: RegExp, text: string, at: number): string | undefined {
  expression.lastIndex = at;
  return expression.exec(text)?.[0];
}

/** Just after the bracket that closes the one at `open`, or the end. */
function closing(name: string, open: number): number {
  const [opening, closes] = name[open] === "(" ? ["(", ")"] : ["<", ">"];
  let depth = 0;
  for (let at = open; at < name.length; at++) {
    if (name[at] === opening) depth++;
    else if (name[at] === closes && --depth === 0) return at + 1;
  }
  return name.length;
}
