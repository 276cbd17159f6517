/**
 * Regular expressions that take time in proportion to the text, whatever the expression. The built-in ones try one way
 * after another and may take hours for `(a+)+$`; this one follows all ways at once (Thompson's construction). It knows
 * JavaScript's syntax except what cannot be had that way: look-around and back-references.
 */
import { type Assertion, PatternError, parsePattern, type Syntax, type Test } from "./patternSyntax.ts";

export interface Pattern {
  readonly kind: "pattern";
  /** Whether the expression is found anywhere in the text. */
  matches(text: string): boolean;
}

/** `message` is a sentence for the person who typed the expression. */
export type PatternResult = Pattern | { readonly kind: "invalid"; readonly message: string };

export interface PatternOptions {
  /** The text is taken in lower case; the expression must then have no capital letters. */
  readonly ignoreCase: boolean;
}

export function compilePattern(source: string, { ignoreCase }: PatternOptions): PatternResult {
  try {
    new RegExp(source);
    const program = compile(parsePattern(source));
    return { kind: "pattern", matches: (text) => run(program, ignoreCase ? text.toLowerCase() : text) };
  } catch (error) {
    if (error instanceof PatternError) return { kind: "invalid", message: error.message };
    if (!(error instanceof SyntaxError)) throw error;
    const reason = error.message.slice(error.message.lastIndexOf(": ") + 2);
    return { kind: "invalid", message: `This is not a regular expression: ${reason}.` };
  }
}

interface Split {
  readonly kind: "split";
  first: number;
  second: number;
}

type Step =
  | { readonly kind: "character"; readonly test: Test }
  | { readonly kind: "assertion"; readonly holds: Assertion }
  | Split
  | { readonly kind: "end" };

/** Repetitions such as `(…){1000}` are written out. */
const MAX_STEPS = 5_000;

function compile(syntax: Syntax): readonly Step[] {
  const steps: Step[] = [];
  let work = 0;

  function count(): void {
    if (++work > MAX_STEPS) throw new PatternError("This regular expression is too long. Use a simpler one.");
  }

  function split(): Split {
    const step: Split = { kind: "split", first: steps.length + 1, second: steps.length + 1 };
    steps.push(step);
    return step;
  }

  function emit(part: Syntax): void {
    count();
    switch (part.kind) {
      case "sequence":
        for (const inner of part.parts) emit(inner);
        break;
      case "choice":
        emitChoice(part.branches);
        break;
      case "repeat":
        emitRepeat(part);
        break;
      default:
        steps.push(part);
    }
  }

  function emitChoice(branches: readonly Syntax[]): void {
    const leave: Split[] = [];
    for (const [position, branch] of branches.entries()) {
      const isLast = position === branches.length - 1;
      const choice = isLast ? undefined : split();
      emit(branch);
      if (choice === undefined) break;
      leave.push(split());
      choice.second = steps.length;
    }
    for (const step of leave) step.first = step.second = steps.length;
  }

  function emitRepeat({ part, least, most }: Extract<Syntax, { kind: "repeat" }>): void {
    for (let copy = 0; copy < least; copy++) emit(part);
    const leave: Split[] = [];
    if (most === Infinity) {
      const start = steps.length;
      leave.push(split());
      emit(part);
      const back = split();
      back.first = back.second = start;
    } else {
      for (let copy = least; copy < most; copy++) {
        leave.push(split());
        emit(part);
      }
    }
    for (const step of leave) step.second = steps.length;
  }

  emit(syntax);
  steps.push({ kind: "end" });
  return steps;
}

function run(program: readonly Step[], text: string): boolean {
  let current: number[] = [];
  let next: number[] = [];
  /** The place in the text at which each step was last reached, plus 1. */
  const reached = new Uint32Array(program.length);
  const pending: number[] = [];

  /** Adds the steps that can be reached without reading; true when the end is one of them. */
  function follow(from: number, place: number): boolean {
    pending.push(from);
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      const step = program[index];
      if (step === undefined || reached[index] === place + 1) continue;
      reached[index] = place + 1;
      if (step.kind === "end") return true;
      if (step.kind === "split") pending.push(step.second, step.first);
      else if (step.kind === "character") next.push(index);
      // Before the first character and after the last one there is NaN.
      else if (step.holds(text.charCodeAt(place - 1), text.charCodeAt(place))) pending.push(index + 1);
    }
    return false;
  }

  for (let place = 0; place <= text.length; place++) {
    // Those that read the character before this place, and one that begins here.
    const code = text.charCodeAt(place - 1);
    for (const index of current) {
      const step = program[index];
      if (step?.kind === "character" && step.test(code) && follow(index + 1, place)) return true;
    }
    if (follow(0, place)) return true;
    [current, next] = [next, current];
    next.length = 0;
  }
  return false;
}
