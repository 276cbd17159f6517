/** A page in a tab: when it listens, what it asks for, what it is told, and that its errors are shown. */
import * as vscode from "vscode";
import { t } from "../../words/t.ts";
import { plainText } from "../report/plainText.ts";
import type { Report } from "../report/report.ts";
import type { PageParts } from "./pageHtml.ts";
import { preparePage } from "./pageParts.ts";

const SAID_MS = 5_000;
const LONGEST_TITLE = 100;

export interface PageHostParts {
  readonly context: Pick<vscode.ExtensionContext, "extensionUri">;
  readonly report: Report;
}

export interface PageSpec<FromPage> {
  /** Of the page's script and style. */
  readonly name: string;
  /** What was being done, for the message where something fails. */
  readonly doing: string;
  html(parts: PageParts): string;
  /** Undefined for what no page of ours says. */
  read(raw: unknown): FromPage | undefined;
  /** A page says `ready` when it listens: at first, and each time it was hidden, as VS Code throws a hidden page away. */
  received(message: FromPage): Promise<void>;
  /** It listens no more: it was hidden, or closed. */
  left?(): void;
  closed?(): void;
}

export interface PageHost<ToPage> {
  readonly panel: vscode.WebviewPanel;
  readonly listens: boolean;
  /** Nothing happens while the page does not listen: it asks for all when it is back. */
  post(message: ToPage): Promise<void>;
  /** Does work for the page; an error is shown. */
  guarded(work: () => Promise<void>): void;
  /** Untrusted text is made plain. */
  setTitle(text: string): void;
}

export function hostPage<ToPage, FromPage extends { readonly kind: string }>(
  { context, report }: PageHostParts,
  panel: vscode.WebviewPanel,
  spec: PageSpec<FromPage>,
): PageHost<ToPage> {
  const { webview } = panel;
  let listens = false;
  const host: PageHost<ToPage> = {
    panel,
    get listens() {
      return listens;
    },
    async post(message) {
      if (listens) await webview.postMessage(message);
    },
    guarded: (work) => void report.guard(spec.doing, work),
    setTitle(text) {
      panel.title = plainText(text, LONGEST_TITLE);
    },
  };
  const left = (): void => {
    listens = false;
    spec.left?.();
  };
  webview.onDidReceiveMessage((raw: unknown) => {
    const message = spec.read(raw);
    if (message === undefined) return;
    if (message.kind === "ready") listens = true;
    host.guarded(() => spec.received(message));
  });
  panel.onDidChangeViewState(() => {
    if (!panel.visible) left();
  });
  panel.onDidDispose(() => {
    left();
    spec.closed?.();
  });
  webview.html = spec.html(preparePage(webview, context.extensionUri, spec.name));
  return host;
}

interface InPanel {
  readonly panel: vscode.WebviewPanel;
}

/** The pages that are open, one for each thing they are of. */
export interface OpenPages<Page extends InPanel> {
  get(key: string): Page | undefined;
  /** Brings the one that is open to the front. */
  reveal(key: string): Page | undefined;
  /** Until it is closed. */
  add(key: string, page: Page): void;
}

export function openPages<Page extends InPanel = InPanel>(): OpenPages<Page> {
  const pages = new Map<string, Page>();
  return {
    get: (key) => pages.get(key),
    reveal(key) {
      const page = pages.get(key);
      page?.panel.reveal();
      return page;
    },
    add(key, page) {
      pages.set(key, page);
      page.panel.onDidDispose(() => {
        // VS Code may have brought another one back meanwhile.
        if (pages.get(key) === page) pages.delete(key);
      });
    },
  };
}

/** What a page asked to be copied. */
export async function copyText(text: string, said = t("Copied to the clipboard.")): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(`$(check) ${said}`, SAID_MS);
}
