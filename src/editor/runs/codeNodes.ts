/** The rows below a run: its files, their functions and lines, in the server's order. */
import type { RunTree } from "../../protocol/server.ts";
import {
  describeFile,
  describeFunction,
  describeHeapFile,
  describeHeapFunction,
  describeHeapLine,
  describeLeft,
  describeLine,
  type RowText,
} from "./describe.ts";

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

export function codeNodes(folder: string, tree: RunTree): CodeNode[] {
  const row = rowsOf(folder);
  if (tree.kind === "lines") {
    return tree.files.map((file) =>
      row.file(
        file,
        describeFile(file, tree.metric),
        file.functions.map((fn) =>
          row.fn(file, fn, describeFunction(fn, tree.metric), [
            ...fn.lines.map((line) => row.line(file, line, describeLine(line, tree.metric))),
            ...(fn.left === undefined ? [] : [row.left(file, fn, describeLeft(fn.left))]),
          ]),
        ),
      ),
    );
  }
  const { files, peak } = tree;
  return files.map((file) =>
    row.file(
      file,
      describeHeapFile(file, peak),
      file.functions.map((fn) =>
        row.fn(
          file,
          fn,
          describeHeapFunction(fn, peak),
          fn.lines.map((line) => row.line(file, line, describeHeapLine(line, peak))),
        ),
      ),
    ),
  );
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
