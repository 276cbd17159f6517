/** The lines that were executing at a run's end, as the project knows them. */
import { defined } from "../../profile/defined.ts";
import type { RunInfo } from "../../profile/model.ts";
import { printable } from "../../profile/text/text.ts";
import type { CodePlace, EndingReport, StackFrame } from "./model.ts";
import type { TracebackFrame } from "./traceback.ts";

/** What is known of the project's sources, as they were when the script ran. */
export interface Sources {
  /** The project's folder on the board. */
  readonly projectRoot?: string;
  readonly functionAt?: (path: string, line: number) => string | undefined;
  readonly lineText?: (path: string, line: number) => string | undefined;
}

export type EndingStack = Pick<EndingReport, "stack" | "stackSource" | "place">;

export const NO_STACK: EndingStack = { stack: [], stackSource: "none" };

/** The stack of an exception. */
export function tracebackStack(frames: readonly TracebackFrame[], run: RunInfo, sources: Sources): EndingStack {
  const root = sources.projectRoot ?? rootOf(frames, run.command.script);
  const stack = frames.map((frame): StackFrame => {
    const own = projectPath(frame.path, root);
    if (own !== undefined) return ownFrame({ ...frame, path: own }, sources);
    const text = frame.text === undefined ? {} : { text: printable(frame.text) };
    const name = frame.function === undefined ? {} : { function: printable(frame.function) };
    return { path: printable(frame.path), line: frame.line, ...name, ...text, own: false };
  });
  return stack.length === 0 ? NO_STACK : { stack, stackSource: "traceback", ...placeOf(stack) };
}

/**
 * What was recorded while the script ran: of its main thread, else of whichever thread is known.
 * @param rank of this rank's processes alone
 */
export function recordedStack(run: RunInfo, sources: Sources, rank?: number): EndingStack {
  const first = run.processes.find((one) => (rank === undefined ? one.kind === "main" : one.rank === rank))?.pid;
  const all = rank === undefined ? run.lastLines : run.lastLines.filter(({ pid }) => rankOf(run, pid) === rank);
  const ofFirst = all.filter(({ pid }) => pid === first);
  const threads = ofFirst.length > 0 ? ofFirst : all;
  const last = threads.find(({ thread }) => thread === "MainThread") ?? threads[0];
  if (last === undefined) return NO_STACK;
  const open = last.stack !== undefined && last.stack.length > 0 ? last.stack : [{ path: last.path, line: last.line }];
  const stack = open.map((frame) => ownFrame(frame, sources));
  return { stack, stackSource: "recorded", ...placeOf(stack) };
}

const rankOf = ({ processes }: RunInfo, pid: number) => processes.find((one) => one.pid === pid)?.rank;

function ownFrame(frame: TracebackFrame, { functionAt, lineText }: Sources): StackFrame {
  const name = frame.function ?? functionAt?.(frame.path, frame.line);
  const text = frame.text ?? lineText?.(frame.path, frame.line)?.trim();
  return {
    path: frame.path,
    line: frame.line,
    ...defined({
      function: name === undefined ? undefined : printable(name),
      text: text === undefined ? undefined : printable(text),
    }),
    own: true,
  };
}

function placeOf(stack: readonly StackFrame[]): { readonly place?: CodePlace } {
  const inner = stack.filter(({ own }) => own).at(-1);
  return inner === undefined ? {} : { place: { path: inner.path, line: inner.line } };
}

/** Folders inside a project that hold other people's code. */
const INSTALLED = /(?:^|\/)(?:site-packages|dist-packages|\.venv|__pypackages__)\//;

/** Relative to the project; undefined for a file outside it. A relative name is relative to where the script began. */
function projectPath(path: string, root: string | undefined): string | undefined {
  const prefix = root === undefined ? undefined : `${root.replace(/\/+$/, "")}/`;
  const relative = path.startsWith("/")
    ? prefix !== undefined && path.startsWith(prefix)
      ? path.slice(prefix.length)
      : undefined
    : path.replace(/^(?:\.\/)+/, "");
  if (relative === undefined || relative.startsWith("<") || INSTALLED.test(relative)) return undefined;
  const parts = relative.split("/");
  return parts.every((part) => part !== "" && part !== "." && part !== "..") ? relative : undefined;
}

/** Where run.json does not tell the project's folder: what stands before the script's own name. */
function rootOf(frames: readonly TracebackFrame[], script: string | undefined): string | undefined {
  const path = frames.find((frame) => script !== undefined && frame.path.endsWith(`/${script}`))?.path;
  return path === undefined || script === undefined ? undefined : path.slice(0, -script.length - 1);
}
