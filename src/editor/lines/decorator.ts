/** Puts the shown run's figures beside the lines of the visible Python editors. */
import * as vscode from "vscode";
import type { LineDeltasResult } from "../../protocol/server.ts";
import { t } from "../../words/t.ts";
import type { Ask } from "../link/ask.ts";
import { coalesced } from "../link/coalesced.ts";
import type { Report } from "../report/report.ts";
import type { ActiveRuns } from "../runs/followed/activeRuns.ts";
import type { ShownRun } from "../runs/shownRun.ts";
import type { Position, ViewSettings } from "../settings/settings.ts";
import { askLineDeltas } from "./askLineDeltas.ts";
import { createDecorationTypes, type DecorationTypes, figureAtEnd } from "./decorationTypes.ts";
import {
  around,
  type Beside,
  besideLine,
  blanksIn,
  covers,
  figureBeforeHere,
  LINE_STYLES,
  type LineRange,
  marksIn,
  moveLines,
  NOTHING_SHOWN,
  type ShownLines,
  showLines,
} from "./plan.ts";

const SCROLL_MS = 150;
const EDIT_MS = 300;
/** A run that goes on changes several times a second. */
const FIGURES_MS = 1_000;

/** A document's figures as of its version; `result` is null where the shown run did not measure it. */
interface Known {
  readonly version: number;
  readonly document: vscode.TextDocument;
  readonly result: LineDeltasResult | null;
  readonly lines: ShownLines;
}

/** What an editor was given last. */
interface Painted {
  readonly lines: ShownLines;
  readonly ranges: readonly LineRange[];
}

/** A question that is under way. */
interface Question {
  /** More was to be asked meanwhile. */
  again: boolean;
}

export function createDecorator(
  ask: Ask,
  shown: ShownRun,
  active: Pick<ActiveRuns, "isConnectedTo" | "onChanged">,
  settings: () => ViewSettings,
  report: Report,
): vscode.Disposable {
  let types: DecorationTypes | undefined;
  let known = new Map<string, Known>();
  const painted = new WeakMap<vscode.TextEditor, Painted>();
  // One for each document: a live run's come faster than they may be answered. Forgotten with the run, or the document.
  const questions = new Map<string, Question>();

  /** @param before of the same document and run: figures keep their side while it is edited */
  const asShown = ({ version, document, result }: Omit<Known, "lines">, before?: Known): Known => {
    const { decorations, threshold, position: wanted } = settings();
    const position = wanted === "automatic" ? sideOf(version, before) : wanted;
    const { lineCount: count } = document;
    const length = (line: number): number => document.lineAt(line).text.length;
    const lines =
      decorations && result !== null ? showLines(result, { count, length }, threshold, position) : NOTHING_SHOWN;
    return { version, document, result, lines };
  };
  const paint = (editor: vscode.TextEditor): void => {
    if (types === undefined) return;
    const lines = known.get(editor.document.uri.toString())?.lines ?? NOTHING_SHOWN;
    const visible = editor.visibleRanges.map(({ start, end }) => ({ first: start.line, last: end.line }));
    const before = painted.get(editor);
    if (before?.lines === lines && covers(before.ranges, visible)) return;
    const ranges = around(visible);
    painted.set(editor, { lines, ranges });
    const marks = marksIn(lines, ranges);
    for (const style of LINE_STYLES) {
      editor.setDecorations(
        types.lines[style],
        marks[style].map((mark) => decorationOf(mark.line, besideLine(lines, mark))),
      );
    }
    const { side } = lines;
    const blanks =
      side.kind === "after" ? [] : blanksOf(side.width, blanksIn(marks, ranges, editor.document.lineCount));
    editor.setDecorations(types.blank, blanks);
    if (before?.lines === lines) return;
    const first = figureBeforeHere(lines);
    editor.setDecorations(types.atEnd, first === undefined ? [] : [figureAtEnd(first.line, first.text, first.style)]);
    paintHere(editor);
    for (const style of ["medium", "high"] as const)
      editor.setDecorations(types.ruler[style], lines.ruler[style].map(wholeLines));
  };
  /** Only while it is followed: else nobody knows where the run is. */
  const paintHere = (editor: vscode.TextEditor): void => {
    const here = known.get(editor.document.uri.toString())?.lines.here;
    const isConnected = shown.current !== undefined && active.isConnectedTo(shown.current.folder);
    if (types === undefined) return;
    const marks = isConnected && here !== undefined ? [decorationOf(here.line, { after: here.text })] : [];
    editor.setDecorations(types.here, marks);
  };
  const paintAll = (): void => {
    for (const editor of pythonEditors()) paint(editor);
  };
  const paintIn = (document: vscode.TextDocument): void => {
    for (const editor of pythonEditors()) if (editor.document === document) paint(editor);
  };
  const askFor = async (document: vscode.TextDocument, isWanted: () => boolean): Promise<void> => {
    const uri = document.uri.toString();
    const { version } = document;
    const result = await askLineDeltas(ask, uri);
    if (!isWanted()) return;
    const before = known.get(uri);
    // Where figures were moved with what was typed meanwhile, it is asked for by itself.
    if (document.version !== version && before?.lines.side.kind === "before") return;
    known.set(uri, asShown({ version, document, result }, before));
    paintIn(document);
  };
  // Asked again after each edit and scroll: the same trouble is told once for each shown run.
  let told: string | undefined;
  const refresh = (document: vscode.TextDocument): void => {
    const uri = document.uri.toString();
    const underWay = questions.get(uri);
    if (underWay !== undefined) {
      underWay.again = true;
      return;
    }
    const question = { again: false };
    questions.set(uri, question);
    const isWanted = (): boolean => questions.get(uri) === question;
    askFor(document, isWanted)
      .catch((error: unknown) => {
        if (told === String(error)) return;
        told = String(error);
        report.error(error, t("Reading the figures of this file"));
      })
      .finally(() => {
        if (!isWanted()) return;
        questions.delete(uri);
        if (question.again) refresh(document);
      });
  };
  const refreshAll = (): void => {
    if (shown.current === undefined) {
      paintAll();
      return;
    }
    types ??= createDecorationTypes();
    const documents = new Set(pythonEditors().map((editor) => editor.document));
    // A document out of sight is asked for when it comes into sight.
    const visible = new Set([...documents].map(({ uri }) => uri.toString()));
    known = new Map([...known].filter(([uri]) => visible.has(uri)));
    for (const document of documents) refresh(document);
  };
  const refreshMissing = (): void => {
    if (shown.current === undefined) return;
    for (const editor of pythonEditors()) {
      if (known.get(editor.document.uri.toString())?.version === editor.document.version) paint(editor);
      else refresh(editor.document);
    }
  };
  /** VS Code moves what stands beside lines with them, but a new line has nothing before it, and would stick out. */
  const moveColumn = (document: vscode.TextDocument, changes: readonly vscode.TextDocumentContentChangeEvent[]) => {
    const uri = document.uri.toString();
    const one = known.get(uri);
    if (one?.lines.side.kind !== "before") return;
    const lines = changes.reduce((moved, { range: { start, end }, text }) => {
      const more = text.split("\n").length - 1 - (end.line - start.line);
      // At its very beginning the line itself is moved.
      return more === 0 ? moved : moveLines(moved, start.character === 0 ? start.line - 1 : start.line, more);
    }, one.lines);
    if (lines === one.lines) return;
    known.set(uri, { ...one, lines });
    paintIn(document);
  };
  const grown = coalesced(FIGURES_MS, refreshAll);
  const scrolled = coalesced(SCROLL_MS, refreshMissing);
  const edited = coalesced(EDIT_MS, refreshMissing);

  const subscriptions = vscode.Disposable.from(
    shown.onSwitched(() => {
      known = new Map();
      questions.clear();
      told = undefined;
      refreshAll();
    }),
    shown.onFigures(grown.call),
    active.onChanged(() => {
      for (const editor of pythonEditors()) paintHere(editor);
    }),
    vscode.window.onDidChangeVisibleTextEditors(refreshMissing),
    vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
      if (shown.current !== undefined && isMeasurable(textEditor.document)) scrolled.call();
    }),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (shown.current === undefined || contentChanges.length === 0 || !isMeasurable(document)) return;
      moveColumn(document, contentChanges);
      edited.call();
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      known.delete(uri.toString());
      questions.delete(uri.toString());
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (!change.affectsConfiguration("jetsonMemprof.decorations")) return;
      known = new Map([...known].map(([uri, one]) => [uri, asShown(one)]));
      paintAll();
    }),
  );
  return {
    dispose() {
      grown.cancel();
      scrolled.cancel();
      edited.cancel();
      subscriptions.dispose();
      types?.dispose();
    },
  };
}

/** A cell of a notebook is a document of its own, and has the side of its own lines. */
function sideOf(version: number, before: Known | undefined): Position {
  if (before === undefined || before.lines.marks.length === 0) return "automatic";
  if (before.lines.side.kind === "before") return "beforeLine";
  // While nobody types, a run that goes on may have got a figure on a long line.
  return before.version === version ? "automatic" : "afterLine";
}

function decorationOf(line: number, { before, after }: Beside): vscode.DecorationOptions {
  return {
    range: wholeLines({ first: line, last: line }),
    renderOptions: {
      ...(before === undefined ? {} : { before: { contentText: before } }),
      ...(after === undefined ? {} : { after: { contentText: after } }),
    },
  };
}

function blanksOf(width: number, lines: readonly number[]): vscode.DecorationOptions[] {
  const blank = "\u00a0".repeat(width);
  return lines.map((line) => decorationOf(line, { before: blank }));
}

function pythonEditors(): vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter(({ document }) => isMeasurable(document));
}

/** Ends are taken back to the ends of the lines by VS Code. */
function wholeLines({ first, last }: LineRange): vscode.Range {
  return new vscode.Range(first, 0, last, Number.MAX_SAFE_INTEGER);
}

function isMeasurable(document: vscode.TextDocument): boolean {
  return document.languageId === "python" && ["file", "vscode-notebook-cell"].includes(document.uri.scheme);
}
