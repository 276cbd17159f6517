/** The rows below a run: its files, their functions and lines, in the server's order. */
import { inTurns } from "../../../profile/files/inTurns.ts";
import type {
  HeapFile,
  HeapFunction,
  HeapLine,
  RunTree,
  TreeFile,
  TreeFunction,
  TreeLine,
} from "../../../protocol/server.ts";
import {
  describeFile,
  describeFunction,
  describeHeapFile,
  describeHeapFunction,
  describeHeapLine,
  describeLeft,
  describeLine,
  type RowText,
} from "../words/describe.ts";

export interface CodeNode {
  readonly kind: "code";
  readonly level: "file" | "function" | "line";
  /** The run's. */
  readonly folder: string;
  readonly id: string;
  readonly icon?: string;
  readonly text: RowText;
  /** `path` is relative to the project folder, with `/`; absent where a row stands for no line, or for many. */
  readonly place?: { readonly path: string; readonly line: number };
  readonly children: readonly CodeNode[];
}

export function codeNodes(folder: string, tree: RunTree): Promise<CodeNode[]> {
  const row = rowsOf(folder);
  if (tree.kind === "lines") {
    const { files, metric } = tree;
    return nodesOf(row, files, {
      file: (file: TreeFile) => describeFile(file, metric),
      fn: (fn: TreeFunction) => describeFunction(fn, metric),
      line: (line: TreeLine) => describeLine(line, metric),
    });
  }
  const { files, peak } = tree;
  return nodesOf(row, files, {
    file: (file: HeapFile) => describeHeapFile(file, peak),
    fn: (fn: HeapFunction) => describeHeapFunction(fn, peak),
    line: (line: HeapLine) => describeHeapLine(line, peak),
  });
}

interface TextOf<File, Fn, Line> {
  file(one: File): RowText;
  fn(one: Fn): RowText;
  line(one: Line): RowText;
}

/** Others get their turn meanwhile: a large program has thousands of lines to describe. */
async function nodesOf<
  Line extends { readonly line: number },
  Fn extends {
    readonly name: string;
    readonly defLine: number;
    readonly lines: readonly Line[];
    readonly left?: number;
  },
  File extends InFile & { readonly functions: readonly Fn[] },
>(row: ReturnType<typeof rowsOf>, files: readonly File[], text: TextOf<File, Fn, Line>): Promise<CodeNode[]> {
  const nodes: CodeNode[] = [];
  for (const file of files) {
    const functions: CodeNode[] = [];
    for (const fn of file.functions) {
      const lines = await inTurns(fn.lines, (line) => row.line(file, line, text.line(line)));
      if (fn.left !== undefined) lines.push(row.left(file, fn, describeLeft(fn.left)));
      functions.push(row.fn(file, fn, text.fn(fn), lines));
    }
    nodes.push(row.file(file, text.file(file), functions));
  }
  return nodes;
}

interface InFile {
  readonly path: string;
}

function rowsOf(folder: string) {
  const idOf = ({ path }: InFile) => `${folder}\n${path}`;
  return {
    file: (file: InFile, text: RowText, children: readonly CodeNode[]): CodeNode => ({
      kind: "code",
      level: "file",
      folder,
      id: idOf(file),
      icon: "file-code",
      text,
      children,
    }),
    fn: (
      file: InFile,
      fn: { readonly name: string; readonly defLine: number },
      text: RowText,
      children: readonly CodeNode[],
    ): CodeNode => ({
      kind: "code",
      level: "function",
      folder,
      id: `${idOf(file)}\n${fn.defLine} ${fn.name}`,
      icon: fn.name === "<module>" ? "symbol-module" : "symbol-function",
      text,
      place: { path: file.path, line: fn.defLine },
      children,
    }),
    /** What stands for the lines that are not listed. */
    left: (file: InFile, fn: { readonly defLine: number }, text: RowText): CodeNode => ({
      kind: "code",
      level: "line",
      folder,
      id: `${idOf(file)}\n${fn.defLine} others`,
      text,
      children: [],
    }),
    line: (file: InFile, { line }: { readonly line: number }, text: RowText): CodeNode => ({
      kind: "code",
      level: "line",
      folder,
      id: `${idOf(file)}\n:${line}`,
      text,
      place: { path: file.path, line },
      children: [],
    }),
  };
}
