import { expect, it, vi } from "vitest";
import type * as vscode from "vscode";

type Edit = { document: unknown; contentChanges: readonly unknown[] };
const edited = vi.hoisted(() => ({ listener: (_: Edit): void => undefined }));
vi.mock("vscode", () => {
  const nothing = { dispose: () => undefined };
  return {
    Disposable: { from: () => nothing },
    DecorationRangeBehavior: {},
    Uri: { joinPath: () => undefined },
    commands: { executeCommand: async () => undefined },
    window: {
      createTextEditorDecorationType: () => nothing,
      onDidChangeVisibleTextEditors: () => nothing,
      visibleTextEditors: [],
    },
    workspace: {
      onDidChangeTextDocument: (listener: typeof edited.listener) => {
        edited.listener = listener;
        return nothing;
      },
    },
  };
});
const { createLineMarks } = await import("./lineMarks.ts");

it("logs that marks moved by an edit could not be kept", async () => {
  const update = vi.fn(async (): Promise<void> => undefined);
  const error = vi.fn();
  const memory = { get: () => undefined, update } as unknown as vscode.Memento;
  const log = { error } as unknown as vscode.LogOutputChannel;
  const marks = createLineMarks(memory, undefined as unknown as vscode.Uri, log);
  const document = {
    uri: { scheme: "file", fsPath: "/project/train.py" },
    lineCount: 2,
    lineAt: () => ({ text: "net = build()" }),
  };
  await marks.toggle(document as unknown as vscode.TextDocument, 1);
  expect(error).not.toHaveBeenCalled();
  update.mockRejectedValueOnce(new Error("disk full"));
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  edited.listener({ document, contentChanges: [{ range, text: "\n" }] });
  await vi.waitFor(() => expect(error).toHaveBeenCalledWith(expect.stringContaining("disk full")), 20_000);
});
