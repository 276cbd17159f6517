import { beforeEach, describe, expect, it, vi } from "vitest";
import type * as vscode from "vscode";
import type { Report } from "../../report/report.ts";
import type { SnapshotViewParts } from "./snapshotView.ts";

const writeText = vi.hoisted(() => vi.fn<(text: string) => Promise<void>>());
vi.mock("vscode", () => {
  const uri = (fsPath: string) => ({ scheme: "file", fsPath, toString: () => fsPath });
  const nothing = { dispose: () => undefined };
  return {
    Uri: {
      file: uri,
      joinPath: (base: { fsPath: string }, ...parts: string[]) => uri([base.fsPath, ...parts].join("/")),
    },
    RelativePattern: class {},
    env: { clipboard: { writeText } },
    window: { setStatusBarMessage: () => nothing },
    workspace: {
      createFileSystemWatcher: () => ({ ...nothing, onDidChange: () => nothing, onDidCreate: () => nothing }),
    },
  };
});
// Test files share modules, and another one may have loaded some with a VS Code of its own.
vi.resetModules();
const { Uri } = await import("vscode");
const { showSnapshot } = await import("./snapshotView.ts");

/** A tab of VS Code: what the page says, what it is told, and its end. */
function tab() {
  let say: (message: unknown) => void = () => undefined;
  let end: () => void = () => undefined;
  let closed = false;
  const told: unknown[] = [];
  const panel = {
    visible: true,
    webview: {
      asWebviewUri: (uri: unknown) => uri,
      onDidReceiveMessage: (listener: typeof say) => (say = listener),
      postMessage: async (message: unknown) => {
        if (closed) throw new Error("Webview is disposed");
        told.push(message);
        return true;
      },
    },
    onDidChangeViewState: () => undefined,
    onDidDispose: (listener: typeof end) => (end = listener),
  };
  return {
    panel: panel as unknown as vscode.WebviewPanel,
    told,
    say: (message: unknown) => say(message),
    close: () => {
      closed = true;
      end();
    },
  };
}

const failures: string[] = [];
let guarding: Promise<void> = Promise.resolve();
const report = {
  guard: (doing: string, body: () => Promise<unknown>) => {
    guarding = body().then(
      () => undefined,
      (error: Error) => void failures.push(`${doing}: ${error.message}`),
    );
    return guarding;
  },
} as unknown as Report;
beforeEach(() => {
  failures.length = 0;
});

function open(ask: () => Promise<unknown>) {
  const shown = tab();
  const parts = { context: { extensionUri: Uri.file("/extension") }, ask, report } as unknown as SnapshotViewParts;
  showSnapshot(parts, shown.panel, Uri.file("/runs/a/snapshot.pickle"));
  return shown;
}

describe("the page of a snapshot", () => {
  it("reports what fails when it is asked for something", async () => {
    writeText.mockRejectedValueOnce(new Error("no clipboard"));
    open(async () => ({})).say({ kind: "copy", text: "train.py:3" });
    await guarding;
    expect(failures).toEqual(["Showing the snapshot: no clipboard"]);
  });

  it.each([
    ["answered", async () => ({})],
    ["refused", async () => Promise.reject(new Error("cut off"))],
  ])("is told nothing where it was closed before the file was %s, and that is no error", async (_, ask) => {
    const shown = open(ask);
    shown.say({ kind: "ready" });
    shown.close();
    await guarding;
    expect(shown.told).toEqual([]);
    expect(failures).toEqual([]);
  });

  it("is told of a file that cannot be read", async () => {
    const shown = open(async () => Promise.reject(new Error("cut off")));
    shown.say({ kind: "ready" });
    await guarding;
    expect(shown.told).toEqual([{ kind: "unavailable", message: "cut off" }]);
  });
});
