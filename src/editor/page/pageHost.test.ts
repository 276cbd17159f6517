import { beforeEach, describe, expect, it, vi } from "vitest";
import type * as vscode from "vscode";
import type { Report } from "../report/report.ts";

const writeText = vi.hoisted(() => vi.fn<(text: string) => Promise<void>>());
const said = vi.hoisted(() => vi.fn<(text: string) => void>());
vi.mock("vscode", () => ({
  Uri: { joinPath: (base: { path: string }, ...parts: string[]) => ({ path: [base.path, ...parts].join("/") }) },
  env: { clipboard: { writeText } },
  window: { setStatusBarMessage: said },
}));
// Test files share modules, and another one may have loaded it with a VS Code of its own.
vi.resetModules();
const { copyText, hostPage, openPages } = await import("./pageHost.ts");

/** A tab of VS Code: what its page says and is told, and what happens to it. */
function tab() {
  let say: (message: unknown) => void = () => undefined;
  let moved: () => void = () => undefined;
  const ends: (() => void)[] = [];
  const told: unknown[] = [];
  const panel = {
    visible: true,
    title: "",
    reveal: vi.fn(),
    webview: {
      html: "",
      asWebviewUri: (uri: { path: string }) => uri.path,
      onDidReceiveMessage: (listener: typeof say) => (say = listener),
      postMessage: async (message: unknown) => told.push(message),
    },
    onDidChangeViewState: (listener: () => void) => (moved = listener),
    onDidDispose: (listener: () => void) => ends.push(listener),
  };
  return {
    panel: panel as unknown as vscode.WebviewPanel & typeof panel,
    told,
    say: (message: unknown) => say(message),
    show(visible: boolean) {
      panel.visible = visible;
      moved();
    },
    close: () => ends.forEach((end) => void end()),
  };
}

type Message = { readonly kind: "ready" } | { readonly kind: "ask"; readonly text: string };

const failures: string[] = [];
const report = {
  guard: async (doing: string, body: () => Promise<unknown>) => {
    await body().catch((error: Error) => failures.push(`${doing}: ${error.message}`));
  },
} as unknown as Report;
beforeEach(() => {
  failures.length = 0;
});

function open(received: (message: Message) => Promise<void>) {
  const shown = tab();
  const [left, closed] = [vi.fn(), vi.fn()];
  const page = hostPage<string, Message>(
    { context: { extensionUri: { path: "/ext" } as unknown as vscode.Uri }, report },
    shown.panel,
    {
      name: "sample",
      doing: "Showing the sample",
      html: ({ scriptUri }) => `<p>${scriptUri}</p>`,
      read: (raw) => (typeof raw === "object" ? (raw as Message) : undefined),
      received,
      left,
      closed,
    },
  );
  return { ...shown, page, left, closed };
}

describe("a page in a tab", () => {
  it("gets its own script, and nothing before it listens", async () => {
    const { panel, page, told, say } = open(async () => undefined);
    expect(panel.webview.html).toBe("<p>/ext/dist/sample.js</p>");
    await page.post("early");
    say({ kind: "ready" });
    await page.post("now");
    expect(told).toEqual(["now"]);
  });

  it("is told nothing while it is hidden, and says again when it listens", async () => {
    const { page, told, say, show, left } = open(async () => undefined);
    say({ kind: "ready" });
    show(false);
    expect(left).toHaveBeenCalledOnce();
    await page.post("hidden");
    show(true);
    await page.post("not yet");
    say({ kind: "ready" });
    await page.post("back");
    expect(told).toEqual(["back"]);
  });

  it("is told nothing after it was closed", async () => {
    const { page, told, say, close, left, closed } = open(async () => undefined);
    say({ kind: "ready" });
    close();
    await page.post("late");
    expect(told).toEqual([]);
    expect([left, closed].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  });

  it("is heard in what its messages can be, and an error is shown by what was being done", async () => {
    const heard: string[] = [];
    const { say } = open(async (message) => {
      heard.push(message.kind);
      if (message.kind === "ask") throw new Error(message.text);
    });
    for (const raw of ["odd", { kind: "ready" }, { kind: "ask", text: "gone" }]) say(raw);
    await vi.waitFor(() => expect(failures).toEqual(["Showing the sample: gone"]), 20_000);
    expect(heard).toEqual(["ready", "ask"]);
  });

  it("has a title of plain text", () => {
    const { page, panel } = open(async () => undefined);
    page.setTitle("a\u0007b");
    expect(panel.title).toBe("a b");
  });
});

describe("open pages", () => {
  it("are one for each key, until they are closed", () => {
    const pages = openPages();
    const [first, second] = [tab(), tab()];
    expect(pages.reveal("a")).toBeUndefined();
    pages.add("a", first);
    expect(pages.reveal("a")).toBe(first);
    expect(first.panel.reveal).toHaveBeenCalledOnce();
    pages.add("a", second);
    first.close();
    expect(pages.get("a")).toBe(second);
    second.close();
    expect(pages.get("a")).toBeUndefined();
  });
});

it("copies what a page asked for, and says so", async () => {
  await copyText("text");
  expect(writeText).toHaveBeenCalledWith("text");
  expect(said.mock.calls[0]?.[0]).toBe("$(check) Copied to the clipboard.");
});
