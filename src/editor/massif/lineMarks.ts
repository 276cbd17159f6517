/** The lines the user marked to be measured before and after: a sign in the gutter, kept for the workspace, moved along with edits. */
import * as fs from "node:fs/promises";
import * as vscode from "vscode";
import { relativePath } from "../../profile/files/relativePath.ts";
import { sourceLines } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { afterEdits, inText, isMeasurableLine, type Mark, toggled } from "./marks.ts";

export interface MarkedLines {
  /** `path` is relative to the project folder, with `/`. */
  readonly lines: readonly { readonly path: string; readonly line: number }[];
  /** Marks whose line is no longer there, as `train.py:12`. */
  readonly lost: readonly string[];
}

export interface LineMarks extends vscode.Disposable {
  /**
   * @param line 1-based
   * @throws UserError `nothing-to-mark`
   */
  toggle(document: vscode.TextDocument, line: number): Promise<void>;
  clear(): Promise<void>;
  /** The marks below a project folder, as its files are on disk. */
  of(projectFolder: string): Promise<MarkedLines>;
}

const KEY = "jetsonMemprof.massifLines";

export function createLineMarks(memory: vscode.Memento, media: vscode.Uri, log: vscode.LogOutputChannel): LineMarks {
  const marks = new Map(Object.entries(readMarks(memory.get<unknown>(KEY))));
  const icon = (name: string) => ({ gutterIconPath: vscode.Uri.joinPath(media, name), gutterIconSize: "contain" });
  const sign = vscode.window.createTextEditorDecorationType({
    light: icon("massif-line-light.svg"),
    dark: icon("massif-line-dark.svg"),
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });

  const paint = (editor: vscode.TextEditor): void => {
    const { document } = editor;
    const lines = (marks.get(document.uri.fsPath) ?? []).filter(({ line }) => line <= document.lineCount);
    editor.setDecorations(
      sign,
      lines.map(({ line }) => ({
        range: document.lineAt(line - 1).range,
        hoverMessage: t(
          "Marked: under Massif and with native stacks, the heap is measured before and after this line.",
        ),
      })),
    );
  };
  const paintAll = (): void => {
    for (const editor of vscode.window.visibleTextEditors) if (hasPath(editor.document)) paint(editor);
  };
  const tellMenus = (): void => {
    void vscode.commands.executeCommand("setContext", "jetsonMemprof.massifLinesMarked", marks.size > 0);
  };
  const put = (file: string, found: readonly Mark[]): void => {
    if (found.length === 0) marks.delete(file);
    else marks.set(file, found);
  };
  const keep = async (): Promise<void> => {
    paintAll();
    tellMenus();
    await memory.update(KEY, Object.fromEntries(marks));
  };

  const subscriptions = vscode.Disposable.from(
    sign,
    vscode.window.onDidChangeVisibleTextEditors(paintAll),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const known = hasPath(document) ? marks.get(document.uri.fsPath) : undefined;
      if (known === undefined || contentChanges.length === 0) return;
      const text = (line: number) => (line <= document.lineCount ? document.lineAt(line - 1).text : undefined);
      put(document.uri.fsPath, afterEdits(known, contentChanges, text));
      // To the log only: a message at each key that is typed would be worse than marks that are not kept.
      keep().catch((error: unknown) => log.error(`Keeping the marked lines: ${error}`));
    }),
  );
  paintAll();
  tellMenus();

  return {
    async toggle(document, line) {
      const { text } = document.lineAt(line - 1);
      const file = document.uri.fsPath;
      const known = marks.get(file) ?? [];
      if (!isMeasurableLine(text) && !known.some((mark) => mark.line === line)) {
        throw new UserError(
          "nothing-to-mark",
          t("Line {0} has no code to measure.", line),
          t("Mark a line with a statement."),
        );
      }
      put(file, toggled(known, { line, text }));
      await keep();
    },
    async clear() {
      marks.clear();
      await keep();
    },
    async of(projectFolder) {
      const lines: { path: string; line: number }[] = [];
      const lost: string[] = [];
      for (const [file, known] of marks) {
        const name = relativePath(projectFolder, file);
        if (name === undefined) continue;
        const found = inText(known, sourceLines(await fs.readFile(file, "utf8").catch(() => "")));
        lines.push(...found.kept.map(({ line }) => ({ path: name, line })));
        lost.push(...found.lost.map(({ line }) => `${name}:${line}`));
      }
      return { lines, lost };
    },
    dispose: () => subscriptions.dispose(),
  };
}

function hasPath({ uri }: vscode.TextDocument): boolean {
  return uri.scheme === "file";
}

/** What the workspace kept; anything else in its place counts as nothing. */
function readMarks(kept: unknown): Record<string, readonly Mark[]> {
  if (typeof kept !== "object" || kept === null) return {};
  return Object.fromEntries(
    Object.entries(kept).flatMap(([file, marks]: [string, unknown]) => {
      const read = Array.isArray(marks) ? marks.filter(isMark) : [];
      return read.length === 0 ? [] : [[file, read]];
    }),
  );
}

function isMark(value: unknown): value is Mark {
  const mark = value as Partial<Mark> | null;
  return typeof mark?.text === "string" && Number.isInteger(mark.line) && (mark.line ?? 0) > 0;
}
