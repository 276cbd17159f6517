/** The language server of our own extension: wires the handlers to a connection. Started over IPC (or `--stdio`). */

import {
  type CancellationToken,
  CodeActionKind,
  CodeLensRefreshRequest,
  createConnection,
  LSPErrorCodes,
  MarkupKind,
  NotebookDocuments,
  ResponseError,
  TextDocumentSyncKind,
  TextDocuments,
} from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { cellOf } from "../profile/notebook.ts";
import { projectOfRun } from "../profile/run/runsFolder.ts";
import { UserError } from "../profile/userError.ts";
import { RUN_CHANGED, type ServerRequests } from "../protocol/server.ts";
import { createEndings } from "./board/ending/ending.ts";
import { quickFixes } from "./board/ending/endingDiagnostics.ts";
import { createEndingPublisher, onlyChanges } from "./board/ending/endingPublisher.ts";
import { exportRunTo } from "./formats/exportRun.ts";
import { importFile } from "./formats/importFile.ts";
import { createHandlers } from "./handlers.ts";
import { createLineParts } from "./lines/lineParts.ts";
import { withTermLinks } from "./lines/termLinks.ts";
import { withViewLinks } from "./lines/viewLinks.ts";
import { openNotebookAt, openNotebookOf } from "./notebook/openNotebooks.ts";
import { createPreparing } from "./preparing.ts";
import { fileInProject } from "./projectPath.ts";
import { createRunStore } from "./runs/runStore.ts";
import { createSweeps } from "./sweep/sweeps.ts";
import { accountDocument } from "./torch/accountDocuments.ts";
import { createSnapshotDocuments } from "./torch/snapshotDocuments.ts";
import { traceDocument } from "./torch/traceDocument.ts";

const connection = createConnection();
const documents = new TextDocuments(TextDocument);
const notebooks = new NotebookDocuments(TextDocument);
let clientRefreshesLenses = false;

const store = createRunStore({
  onChange: (folder) => {
    void connection.sendNotification(RUN_CHANGED, { folder });
    refreshLenses();
    publisher.refresh();
  },
});

const handlers = createHandlers({
  store,
  platform: process.platform,
  openDocument: (uri) => {
    const document = documents.get(uri) ?? notebooks.cellTextDocuments.get(uri);
    return document && { version: document.version, text: document.getText() };
  },
  openNotebook: (uri) => openNotebookOf(notebooks, uri),
});

const endings = createEndings({
  store,
  lineNow: handlers.lineNow,
  openUris: () => documents.keys(),
  openText: (uri) => (documents.get(uri) ?? notebooks.cellTextDocuments.get(uri))?.getText(),
  openCell: async (folder, file) => {
    const project = projectOfRun(folder);
    const cell = cellOf(file);
    const native = project && cell && fileInProject(cell.notebook, project, process.platform);
    const notebook = native === undefined ? undefined : openNotebookAt(notebooks, native, process.platform);
    return notebook && handlers.cellNow({ folder, path: file, cells: notebook.cells });
  },
  platform: process.platform,
});

const publisher = createEndingPublisher(
  endings,
  handlers.shown,
  onlyChanges((uri, diagnostics) => void connection.sendDiagnostics({ uri, diagnostics })),
);

function refreshLenses(): void {
  // A client that is going away answers no more; nothing is lost.
  if (clientRefreshesLenses) connection.sendRequest(CodeLensRefreshRequest.type).catch(() => {});
}

const snapshots = createSnapshotDocuments();
const sweeps = createSweeps();

const CANCELLED = new ResponseError(LSPErrorCodes.RequestCancelled, "The request was cancelled.");

/** Aborted when the client cancels; the reason is what it is answered then. */
function signalOf(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  token.onCancellationRequested(() => controller.abort(CANCELLED));
  return controller.signal;
}

/** An error for a person crosses the connection with its code and hint. */
async function answer<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new ResponseError(LSPErrorCodes.RequestFailed, error.message, { code: error.code, hint: error.hint });
  }
}

function onRequest<M extends keyof ServerRequests>(
  method: M,
  handle: (params: ServerRequests[M]["params"], signal: AbortSignal) => Promise<ServerRequests[M]["result"]>,
): void {
  connection.onRequest(
    method,
    (params: ServerRequests[M]["params"], token: CancellationToken): Promise<unknown> =>
      answer(handle(params, signalOf(token))),
  );
}

connection.onInitialize((params) => {
  clientRefreshesLenses = params.capabilities.workspace?.codeLens?.refreshSupport === true;
  return {
    serverInfo: { name: "Jetson Memory Profiler" },
    capabilities: {
      textDocumentSync: TextDocumentSyncKind.Incremental,
      notebookDocumentSync: { notebookSelector: [{ notebook: "jupyter-notebook", cells: [{ language: "python" }] }] },
      hoverProvider: true,
      codeLensProvider: { resolveProvider: false },
      codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
    },
  };
});

connection.onHover(({ textDocument, position }) =>
  answer(
    handlers.hover(textDocument.uri, position.line + 1).then(async (text) => {
      const folder = handlers.shown();
      if (text === null || folder === undefined) return null;
      const { run } = (await store.get(folder)).profile();
      const { line } = position;
      const range = { start: { line, character: 0 }, end: { line: line + 1, character: 0 } };
      const value = withViewLinks(withTermLinks(text), run, { uri: textDocument.uri, line: line + 1 });
      return { contents: { kind: MarkupKind.Markdown, value }, range };
    }),
  ),
);

connection.onCodeLens(({ textDocument }) =>
  answer(
    handlers.lenses(textDocument.uri).then((found) =>
      (found?.lenses ?? []).map(({ line, title }) => ({
        range: { start: { line: line - 1, character: 0 }, end: { line: line - 1, character: 0 } },
        command: { title, command: "jetsonMemprof.showRunInTree", arguments: [found?.folder] },
      })),
    ),
  ),
);

// Worked out anew: an edit must fit the document as it is now, not as it was when its notes were published.
connection.onCodeAction(async ({ textDocument: { uri }, range }) => {
  const folder = handlers.shown();
  if (folder === undefined) return [];
  const notes = await answer(endings.notes(folder));
  return quickFixes(folder, uri, notes.get(uri) ?? [], range);
});

onRequest("jetsonMemprof/runs", ({ folders }) => handlers.runs(folders));
onRequest("jetsonMemprof/showRun", async ({ folder, metric, ...more }) => {
  const summary = await handlers.showRun(folder, metric, more);
  publisher.refresh();
  refreshLenses();
  return summary;
});
onRequest("jetsonMemprof/compare", ({ folders, metric }) => handlers.compare(folders, metric));
onRequest("jetsonMemprof/runSummary", ({ folder }) => handlers.runSummary(folder));
onRequest("jetsonMemprof/runTree", ({ folder }) => handlers.runTree(folder));
onRequest("jetsonMemprof/runLines", ({ folder, metric }) => handlers.runLines(folder, metric));
onRequest("jetsonMemprof/phases", ({ folder }) => handlers.phases(folder));
onRequest("jetsonMemprof/lineDeltas", createLineParts(handlers.lineDeltas));
onRequest("jetsonMemprof/lineHistory", ({ uri, line }, signal) => handlers.lineHistory(uri, line, signal));
onRequest("jetsonMemprof/lineNow", handlers.lineNow);
onRequest("jetsonMemprof/cellNow", handlers.cellNow);
onRequest("jetsonMemprof/timeline", handlers.timeline);
onRequest("jetsonMemprof/trace", ({ path }) => traceDocument(path));
onRequest("jetsonMemprof/massifDocument", ({ source }) => handlers.massif.document(source));
onRequest("jetsonMemprof/massifTree", ({ source, ref }) => handlers.massif.tree(source, ref));
onRequest("jetsonMemprof/snapshotDocument", ({ path }, signal) => snapshots.document(path, signal));
onRequest("jetsonMemprof/snapshotQuery", ({ path, query }, signal) => snapshots.answer(path, query, signal));
onRequest("jetsonMemprof/ending", ({ folder }) => endings.ending(folder));
onRequest("jetsonMemprof/modelAccount", ({ folder, runsFolders }) => accountDocument(store, folder, runsFolders));
onRequest("jetsonMemprof/sweep", ({ id, runsFolders }) => sweeps.read(runsFolders, id));
onRequest("jetsonMemprof/sweepRun", ({ folder, values }) => sweeps.run(folder, values));
onRequest("jetsonMemprof/exportRun", (params) => exportRunTo(store, params));
onRequest("jetsonMemprof/importFile", importFile);
onRequest("jetsonMemprof/nativeStacks", ({ uri, line }) => handlers.nativeStacks(uri, line));

const preparing = createPreparing((uri) => {
  // What goes wrong here is reported by the request that needs it.
  handlers
    .prepare(uri)
    .catch(() => {})
    .then(publisher.refresh);
});
for (const opened of [notebooks.onDidOpen, notebooks.onDidChange]) opened(() => publisher.refresh());
documents.onDidChangeContent(({ document: { uri } }) => preparing.soon(uri));
documents.onDidClose(({ document: { uri } }) => {
  preparing.forget(uri);
  handlers.forget(uri);
});

connection.onShutdown(() => store.dispose());
documents.listen(connection);
notebooks.listen(connection);
connection.listen();
