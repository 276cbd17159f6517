/** The language server for any editor: it chooses the run itself, as nobody tells it which one to show. docs/editors.md */
import {
  type ClientCapabilities,
  CodeActionKind,
  CodeLensRefreshRequest,
  createConnection,
  ErrorCodes,
  InlayHintRefreshRequest,
  LSPErrorCodes,
  MessageType,
  PositionEncodingKind,
  ResponseError,
  ShowMessageNotification,
  TextDocumentSyncKind,
  TextDocuments,
} from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { version } from "../../../package.json";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { createPreparing } from "../preparing.ts";
import { COMMANDS, DESCRIBE_RUN, readRequest } from "./commands.ts";
import { createDiagnostics } from "./diagnostics.ts";
import { hoverContent } from "./hoverText.ts";
import { heavyLineDiagnostics, inlayHints } from "./marks.ts";
import { readOptions } from "./options.ts";
import { type Person, perform } from "./perform.ts";
import { changedFolders, workspaceFolders } from "./projects.ts";
import { createViews, type Views } from "./views.ts";

const connection = createConnection();
const documents = new TextDocuments(TextDocument);
const diagnostics = createDiagnostics<"ending" | "lines">((uri, list) => {
  void connection.sendDiagnostics({ uri, diagnostics: list });
});

const person: Person = {
  tell: (message) => tell(MessageType.Info, message),
  choose: async (message, items) => await connection.window.showInformationMessage(message, ...items),
};

/** A notification: the connection's own functions ask, and wait for an answer. */
function tell(type: MessageType, message: string): void {
  void connection.sendNotification(ShowMessageNotification.type, { type, message });
}

let client: ClientCapabilities = {};
let options = readOptions(undefined).options;
let life: { readonly kind: "starting" | "ended" } | { readonly kind: "serving"; readonly views: Views } = {
  kind: "starting",
};

/** For requests. @throws ResponseError as the protocol wants it before `initialized` and after `shutdown` */
function serving(): Views {
  switch (life.kind) {
    case "serving":
      return life.views;
    case "starting":
      throw new ResponseError(ErrorCodes.ServerNotInitialized, t("The server has not been initialized."));
    case "ended":
      throw new ResponseError(ErrorCodes.InvalidRequest, t("The server was shut down."));
  }
}

function startViews(): Views {
  return createViews({
    options,
    openUris: () => documents.keys(),
    openDocument: (uri) => {
      const document = documents.get(uri);
      return document && { version: document.version, text: document.getText() };
    },
    onChange: refreshClient,
    onEnding: (uri, list) => diagnostics.set("ending", uri, list),
    onProblem: (error) => tell(MessageType.Error, messageOf(error)),
  });
}

function messageOf(error: unknown): string {
  if (!(error instanceof UserError)) return t("jetson-memprof: {0}", String(error));
  return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
}

/** What the client has of the figures is out of date. A client that is going away answers no more; nothing is lost. */
function refreshClient(): void {
  if (client.workspace?.codeLens?.refreshSupport === true) {
    connection.sendRequest(CodeLensRefreshRequest.type).catch(() => {});
  }
  if (client.workspace?.inlayHint?.refreshSupport === true) {
    connection.sendRequest(InlayHintRefreshRequest.type).catch(() => {});
  }
  for (const uri of documents.keys()) void markHeavyLines(uri);
}

async function markHeavyLines(uri: string): Promise<void> {
  if (options.heavyLines === "off" || life.kind !== "serving") return;
  const view = await life.views.of(uri);
  const found = await view?.handlers.lineDeltas(uri).catch(() => undefined);
  const text = documents.get(uri)?.getText();
  const list = found && text !== undefined ? heavyLineDiagnostics(found, text, options.heavyLines) : [];
  diagnostics.set("lines", uri, list);
}

/** An error for a person crosses the connection with what to do about it. */
async function answer<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new ResponseError(LSPErrorCodes.RequestFailed, messageOf(error));
  }
}

connection.onInitialize((params) => {
  client = params.capabilities;
  const read = readOptions(params.initializationOptions);
  options = read.options;
  const folders = workspaceFolders(params);
  connection.onInitialized(() => {
    if (read.problem !== undefined) tell(MessageType.Error, read.problem);
    const started = startViews();
    life = { kind: "serving", views: started };
    started.setFolders(folders);
    if (client.workspace?.workspaceFolders === true) {
      connection.workspace.onDidChangeWorkspaceFolders((event) => {
        started.setFolders(changedFolders(started.folders(), event));
      });
    }
  });
  return {
    serverInfo: { name: "Jetson Memory Profiler", version },
    capabilities: {
      // Every client knows it, and incremental changes are counted in it.
      positionEncoding: PositionEncodingKind.UTF16,
      textDocumentSync: TextDocumentSyncKind.Incremental,
      hoverProvider: true,
      ...(options.codeLenses ? { codeLensProvider: { resolveProvider: false } } : {}),
      ...(options.inlayHints ? { inlayHintProvider: { resolveProvider: false } } : {}),
      codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
      executeCommandProvider: { commands: [...COMMANDS] },
      workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
    },
  };
});

connection.onHover(async ({ textDocument: { uri }, position: { line } }) => {
  const view = await serving().of(uri);
  const markdown = view && (await answer(view.handlers.hover(uri, line + 1)));
  if (markdown == null) return null;
  return {
    contents: hoverContent(markdown, client.textDocument?.hover?.contentFormat),
    range: { start: { line, character: 0 }, end: { line: line + 1, character: 0 } },
  };
});

connection.onCodeLens(async ({ textDocument: { uri } }) => {
  const view = await serving().of(uri);
  const found = view && (await answer(view.handlers.lenses(uri)));
  return (found?.lenses ?? []).map(({ line, title }) => ({
    range: { start: { line: line - 1, character: 0 }, end: { line: line - 1, character: 0 } },
    command: { title, command: DESCRIBE_RUN, arguments: [found?.folder] },
  }));
});

connection.languages.inlayHint.on(async ({ textDocument: { uri }, range }) => {
  const view = await serving().of(uri);
  const found = view && (await answer(view.handlers.lineDeltas(uri)));
  const text = documents.get(uri)?.getText();
  return found && text !== undefined ? inlayHints(found, text, range, options.threshold) : [];
});

connection.onCodeAction(async ({ textDocument: { uri }, range }) => {
  const view = await serving().of(uri);
  return view === undefined ? [] : await answer(view.codeActions(uri, range));
});

connection.onExecuteCommand(async ({ command, arguments: given }) => {
  const views = serving();
  const doing = async () => await perform(readRequest(command, given ?? []), views, person);
  await answer(doing());
  return null;
});

const preparing = createPreparing((uri) => {
  const prepare = async () => {
    const view = await serving().of(uri);
    await view?.handlers.prepare(uri);
    view?.refresh();
    await markHeavyLines(uri);
  };
  // What goes wrong here is reported by the request that needs it.
  prepare().catch(() => {});
});
documents.onDidChangeContent(({ document: { uri } }) => preparing.soon(uri));
documents.onDidClose(({ document: { uri } }) => {
  preparing.forget(uri);
  diagnostics.set("lines", uri, []);
  if (life.kind === "serving") for (const view of life.views.all()) view.handlers.forget(uri);
});

connection.onShutdown(() => {
  if (life.kind === "serving") life.views.dispose();
  life = { kind: "ended" };
});
documents.listen(connection);
connection.listen();
