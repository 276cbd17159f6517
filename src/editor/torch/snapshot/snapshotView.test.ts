import { beforeEach, describe, expect, it, vi } from "vitest";
import type * as vscode from "vscode";
import type { Report } from "../../report/report.ts";
import type { SnapshotViewParts } from "./snapshotView.ts";

const writeText = vi.hoisted(() => vi.fn<(text: string) => Promise<void>>());
const showOpenDialog = vi.hoisted(() => vi.fn<() => Promise<readonly { fsPath: string }[] | undefined>>());
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
    window: { setStatusBarMessage: () => nothing, showOpenDialog },
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

function open(ask: (name: string, params: { readonly path: string }) => Promise<unknown>) {
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

  it("is compared with the file that the user chooses, and asks about that one until it is no longer", async () => {
    const asked: string[] = [];
    const shown = open(async (name, { path }) => {
      asked.push(`${name.replace("jetsonMemprof/", "")} ${path}`);
      return { of: path };
    });
    const query = { about: "allocation", device: 0, allocation: 1 };
    showOpenDialog.mockResolvedValueOnce(undefined);
    shown.say({ kind: "ready" });
    await vi.waitFor(() => expect(shown.told).toHaveLength(1), 20_000);
    shown.say({ kind: "compare" });
    await vi.waitFor(() => expect(showOpenDialog).toHaveBeenCalledTimes(1), 20_000);
    showOpenDialog.mockResolvedValueOnce([{ fsPath: "/other.pickle" }]);
    shown.say({ kind: "compare" });
    await vi.waitFor(() => expect(shown.told[1]).toEqual({ kind: "other", document: { of: "/other.pickle" } }), 20_000);
    shown.say({ kind: "query", request: 1, of: "other", query });
    shown.say({ kind: "query", request: 2, of: "shown", query });
    await vi.waitFor(() => expect(shown.told).toHaveLength(4), 20_000);
    expect(asked.slice(-2)).toEqual(["snapshotQuery /other.pickle", "snapshotQuery /runs/a/snapshot.pickle"]);
    shown.say({ kind: "ready" });
    await vi.waitFor(() => expect(shown.told[5]).toMatchObject({ kind: "other" }), 20_000);
    shown.say({ kind: "stopComparing" });
    shown.say({ kind: "query", request: 3, of: "other", query });
    await vi.waitFor(() => expect(shown.told[6]).toMatchObject({ kind: "failed", request: 3 }), 20_000);
    expect(failures).toEqual([]);
  });

  it("stays as it is where the other file cannot be read", async () => {
    const shown = open(async (_, { path }) => {
      if (path === "/other.pickle") throw new Error("cut off");
      return {};
    });
    showOpenDialog.mockResolvedValueOnce([{ fsPath: "/other.pickle" }]);
    shown.say({ kind: "compare" });
    await vi.waitFor(() => expect(failures).toEqual(["Comparing snapshots: cut off"]), 20_000);
    expect(shown.told).toEqual([]);
  });

  it("is told of a file that cannot be read", async () => {
    const shown = open(async () => Promise.reject(new Error("cut off")));
    shown.say({ kind: "ready" });
    await guarding;
    expect(shown.told).toEqual([{ kind: "unavailable", message: "cut off" }]);
  });
});
