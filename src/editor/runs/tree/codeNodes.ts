/** The rows below a run: its files, their functions and lines, in the server's order. */
import { inTurns } from "../../../profile/files/inTurns.ts";
import { importOf } from "../../../profile/lines/importOf.ts";
import { heaviestOwnLines } from "../../../profile/lines/ownMemory.ts";
import { together, weight } from "../../../profile/lines/totals.ts";
import type { Metric } from "../../../profile/model.ts";
import { fileName } from "../../../profile/notebook.ts";
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
  describeHeaviest,
  describeHeaviestLine,
  describeImports,
  describeLeft,
  describeLine,
  type RowText,
} from "../words/describe.ts";

/** More are not seen without scrolling. */
const HEAVIEST = 5;

export interface CodeNode {
  readonly kind: "code";
  readonly level: "heaviest" | "file" | "function" | "imports" | "line";
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
    return lineNodes(row, tree);
  }
  const { files, peak } = tree;
  return nodesOf(row, files, {
    file: (file: HeapFile) => describeHeapFile(file, peak),
    fn: (fn: HeapFunction) => describeHeapFunction(fn, peak),
    line: (line: HeapLine) => describeHeapLine(line, peak),
  });
}

async function lineNodes(row: Rows, { files, metric }: Extract<RunTree, { kind: "lines" }>): Promise<CodeNode[]> {
  const nodes = await nodesOf(row, files, {
    file: (file: TreeFile) => describeFile(file, metric),
    fn: (fn: TreeFunction) => describeFunction(fn, metric),
    line: (line: TreeLine) => describeLine(line, metric),
    fold: (file: TreeFile, fn: TreeFunction, lines: CodeNode[]) => withImportsFolded(row, file, fn, lines, metric),
  });
  const functions = files.flatMap((file) => file.functions).filter(({ lines }) => lines.length > 0);
  // One function has the same list.
  if (functions.length < 2) return nodes;
  const heaviest = heaviestOwnLines(files, HEAVIEST).map((line) =>
    row.heaviest(
      line,
      line.row,
      describeHeaviestLine(line, metric, files.length > 1 ? fileName(line.path) : undefined),
    ),
  );
  return heaviest.length === 0 ? nodes : [row.list(describeHeaviest(), heaviest), ...nodes];
}

interface TextOf<File, Fn, Line> {
  file(one: File): RowText;
  fn(one: Fn): RowText;
  line(one: Line): RowText;
  /** Lines that stand together below a row of their own. @param lines the rows of the function's lines, in their order */
  fold?(file: File, fn: Fn, lines: CodeNode[]): CodeNode[];
}

/** Import statements fill a list and are seldom what one looks for: one row for all of a function's. */
function withImportsFolded(row: Rows, file: TreeFile, fn: TreeFunction, lines: CodeNode[], metric: Metric): CodeNode[] {
  const isImport = fn.lines.map(({ text }) => importOf(text) !== undefined);
  const imports = fn.lines.filter((_, at) => isImport[at]);
  if (imports.length < 2) return lines;
  const most = weight(together(imports));
  const others = fn.lines.filter((_, at) => !isImport[at]);
  const heavier = others.filter((line) => weight(line) > most).length;
  const nodes = lines.filter((_, at) => !isImport[at]);
  const folded = row.imports(
    file,
    fn,
    describeImports(imports, metric),
    lines.filter((_, at) => isImport[at]),
  );
  return [...nodes.slice(0, heavier), folded, ...nodes.slice(heavier)];
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
>(row: Rows, files: readonly File[], text: TextOf<File, Fn, Line>): Promise<CodeNode[]> {
  const nodes: CodeNode[] = [];
  for (const file of files) {
    const functions: CodeNode[] = [];
    for (const fn of file.functions) {
      const lines = await inTurns(fn.lines, (line) => row.line(file, line, text.line(line)));
      const children = text.fold === undefined ? lines : text.fold(file, fn, lines);
      if (fn.left !== undefined) children.push(row.left(file, fn, describeLeft(fn.left)));
      functions.push(row.fn(file, fn, text.fn(fn), children));
    }
    nodes.push(row.file(file, text.file(file), functions));
  }
  return nodes;
}

interface InFile {
  readonly path: string;
}

type Rows = ReturnType<typeof rowsOf>;

function rowsOf(folder: string) {
  const idOf = ({ path }: InFile) => `${folder}\n${path}`;
  const line = (id: string, file: InFile, { line }: { readonly line: number }, text: RowText): CodeNode => ({
    kind: "code",
    level: "line",
    folder,
    id: `${id}\n:${line}`,
    text,
    place: { path: file.path, line },
    children: [],
  });
  return {
    list: (text: RowText, children: readonly CodeNode[]): CodeNode => ({
      kind: "code",
      level: "heaviest",
      folder,
      id: `heaviest\n${folder}`,
      icon: "flame",
      text,
      children,
    }),
    heaviest: (file: InFile, one: { readonly line: number }, text: RowText): CodeNode =>
      line(`heaviest\n${idOf(file)}`, file, one, text),
    imports: (
      file: InFile,
      fn: { readonly defLine: number },
      text: RowText,
      children: readonly CodeNode[],
    ): CodeNode => ({
      kind: "code",
      level: "imports",
      folder,
      id: `${idOf(file)}\n${fn.defLine} imports`,
      icon: "package",
      text,
      children,
    }),
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
    line: (file: InFile, one: { readonly line: number }, text: RowText): CodeNode => line(idOf(file), file, one, text),
  };
}
