/** A page of the extension in a plain Chromium, with a stand-in for VS Code's side of it. */

import * as esbuild from "esbuild";
import type { Browser, Page } from "playwright-core";
import { slimScales } from "../../../scripts/slimLibraries.mjs";
import { catalogue, storedWords } from "../../../scripts/words.mjs";
import { workerText } from "../../../scripts/workerText.mjs";
import { timelineHtml, traceHtml } from "../../../src/editor/timeline/timelineHtml.ts";
import { wordsFrom, wordsScript } from "../../../src/words/storedWords.ts";
import { language } from "../../../src/words/t.ts";
import { speakChinese } from "../../../src/words/testing.ts";
import { inFull } from "../../support/inFull.ts";
import { projectRoot } from "../../workbench/support/workbench.ts";
import { DRAWN } from "./checks.ts";

const ORIGIN = "https://page.test";

export interface Bundle {
  readonly script: string;
  readonly style: string;
}

const bundles = new Map<string, Promise<Bundle>>();

/** A page's program and style, from the folder of `webview/` that it is named after; made once for a test file. */
export function bundlePage(name: string): Promise<Bundle> {
  const bundle = bundles.get(name) ?? makeBundle(name);
  bundles.set(name, bundle);
  return bundle;
}

async function makeBundle(name: string): Promise<Bundle> {
  const { outputFiles } = await esbuild.build({
    entryPoints: { [name]: `webview/${name}/main.ts` },
    absWorkingDir: projectRoot,
    outdir: "dist",
    bundle: true,
    target: "es2022",
    write: false,
    plugins: [workerText(), slimScales],
  });
  const text = (ending: string): string => outputFiles.find((file) => file.path.endsWith(ending))?.text ?? "";
  return { script: text(".js"), style: text(".css") };
}

/** The colors that the page uses of VS Code's four default themes and of one more, as VS Code sets them on a webview. */
export const THEMES = {
  dark: {
    class: "vscode-dark",
    variables: {
      foreground: "#cccccc",
      "editor-background": "#1f1f1f",
      "charts-blue": "#59a4f9",
      "charts-green": "#89d185",
      "charts-red": "#f14c4c",
      focusBorder: "#0078d4",
      descriptionForeground: "#9d9d9d",
      "charts-purple": "#b180d7",
      "charts-yellow": "#cca700",
      "charts-orange": "#d18616",
      "terminal-ansiCyan": "#11a8cd",
      "terminal-ansiMagenta": "#bc3fbc",
      "textLink-foreground": "#4daafc",
      "button-background": "#0078d4",
      "button-foreground": "#ffffff",
      "button-secondaryBackground": "#313131",
      "button-secondaryForeground": "#cccccc",
      "list-activeSelectionBackground": "#04395e",
      "list-activeSelectionForeground": "#ffffff",
      "inputOption-activeBackground": "#2489db82",
      "inputOption-activeForeground": "#ffffff",
      "editorHoverWidget-background": "#202020",
      "editorHoverWidget-border": "#454545",
      "widget-border": "#313131",
      "textCodeBlock-background": "#2b2b2b",
    },
  },
  light: {
    class: "vscode-light",
    variables: {
      foreground: "#3b3b3b",
      "editor-background": "#ffffff",
      "charts-blue": "#0063d3",
      "charts-green": "#388a34",
      "charts-red": "#e51400",
      focusBorder: "#005fb8",
      descriptionForeground: "#3b3b3b",
      "charts-purple": "#652d90",
      "charts-yellow": "#bf8803",
      "charts-orange": "#d18616",
      "terminal-ansiCyan": "#0598bc",
      "terminal-ansiMagenta": "#bc05bc",
      "textLink-foreground": "#005fb8",
      "button-background": "#005fb8",
      "button-foreground": "#ffffff",
      "button-secondaryBackground": "#e5e5e5",
      "button-secondaryForeground": "#3b3b3b",
      "list-activeSelectionBackground": "#e8e8e8",
      "list-activeSelectionForeground": "#000000",
      "inputOption-activeBackground": "#bed6ed",
      "inputOption-activeForeground": "#000000",
      "editorHoverWidget-background": "#f8f8f8",
      "editorHoverWidget-border": "#c8c8c8",
      "widget-border": "#e5e5e5",
      "textCodeBlock-background": "#f8f8f8",
    },
  },
  // Light (Visual Studio): its buttons are dark, with white words.
  "dark-buttons-light": {
    class: "vscode-light",
    variables: {
      foreground: "#616161",
      "editor-background": "#ffffff",
      "charts-blue": "#1a85ff",
      "charts-green": "#388a34",
      "charts-red": "#e51400",
      focusBorder: "#0090f1",
      descriptionForeground: "#717171",
      "charts-purple": "#652d90",
      "charts-yellow": "#bf8803",
      "charts-orange": "#d18616",
      "terminal-ansiCyan": "#0598bc",
      "terminal-ansiMagenta": "#bc05bc",
      "textLink-foreground": "#006ab1",
      "button-background": "#007acc",
      "button-foreground": "#ffffff",
      "button-secondaryBackground": "#5f6a79",
      "button-secondaryHoverBackground": "#4c5561",
      "button-secondaryForeground": "#ffffff",
      "list-activeSelectionBackground": "#0060c0",
      "list-activeSelectionForeground": "#ffffff",
      "list-hoverBackground": "#e8e8e8",
      "inputOption-activeBackground": "#0090f133",
      "inputOption-activeForeground": "#000000",
      "editorHoverWidget-background": "#f3f3f3",
      "editorHoverWidget-border": "#c8c8c8",
      "widget-border": "#d4d4d4",
      "textCodeBlock-background": "#dcdcdc66",
    },
  },
  "hc-dark": {
    class: "vscode-high-contrast",
    variables: {
      foreground: "#ffffff",
      "editor-background": "#000000",
      "charts-blue": "#3794ff",
      "charts-green": "#89d185",
      "charts-red": "#f48771",
      contrastBorder: "#6fc3df",
      focusBorder: "#f38518",
      "charts-purple": "#b180d7",
      "charts-yellow": "#cca700",
      "charts-orange": "#d18616",
      "terminal-ansiCyan": "#00cdcd",
      "terminal-ansiMagenta": "#cd00cd",
      "textLink-foreground": "#21a6ff",
      "button-background": "#000000",
      "button-foreground": "#ffffff",
      "button-border": "#6fc3df",
      "button-secondaryBackground": "#000000",
      "button-secondaryForeground": "#ffffff",
      contrastActiveBorder: "#f38518",
      "editorHoverWidget-background": "#0c141f",
      "editorHoverWidget-border": "#6fc3df",
    },
  },
  "hc-light": {
    class: "vscode-high-contrast-light vscode-high-contrast",
    variables: {
      foreground: "#292929",
      "editor-background": "#ffffff",
      "charts-blue": "#1a5cad",
      "charts-green": "#374e06",
      "charts-red": "#b5200d",
      contrastBorder: "#0f4a85",
      focusBorder: "#006bbd",
      "charts-purple": "#652d90",
      "charts-yellow": "#895503",
      "charts-orange": "#b5690a",
      "terminal-ansiCyan": "#0598bc",
      "terminal-ansiMagenta": "#bc05bc",
      "textLink-foreground": "#0f4a85",
      "button-background": "#0f4a85",
      "button-foreground": "#ffffff",
      "button-border": "#0f4a85",
      "button-secondaryBackground": "#ffffff",
      "button-secondaryForeground": "#292929",
      contrastActiveBorder: "#006bbd",
      "editorHoverWidget-background": "#ffffff",
      "editorHoverWidget-border": "#292929",
    },
  },
} as const;

type Theme = keyof typeof THEMES;

/**
 * For tests that open a page, or go through it, once for each theme: in a whole `npm test` two stand for all, as
 * everyPage.test.ts wears each on every page, and colors.test.ts reckons their contrasts.
 */
export const THEMES_IN_TURN: readonly Theme[] = inFull ? (Object.keys(THEMES) as Theme[]) : ["dark", "hc-light"];

/** What a page is made of, as VS Code gives it. */
export interface PageParts {
  readonly cspSource: string;
  readonly nonce: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  readonly words?: string;
}

export interface OpenPage {
  readonly page: Page;
  /** What the page said to the editor. */
  received(): Promise<readonly unknown[]>;
  state(): Promise<unknown>;
  /** Resolves when the page has taken the message and what it drew for it is drawn. */
  send(message: unknown): Promise<void>;
  /** Resolves when the page has its new size and has drawn itself anew. */
  resize(size: { readonly width: number; readonly height: number }): Promise<void>;
  wear(theme: keyof typeof THEMES): Promise<void>;
  /** Errors and refusals of the content security policy. */
  readonly faults: readonly string[];
}

export interface OpenOptions {
  readonly savedState?: unknown;
  readonly pixelRatio?: number;
  readonly reducedMotion?: boolean;
}

/** Pages that are opened from now on are Chinese, until the returned function is called. */
export const openChinese = (): (() => void) => speakChinese(catalogue("zh-cn"));

export async function openPage(
  browser: Browser,
  bundle: Bundle,
  html: (parts: PageParts) => string,
  options: OpenOptions = {},
): Promise<OpenPage> {
  const page = await browser.newPage({
    viewport: { width: 900, height: 640 },
    deviceScaleFactor: options.pixelRatio ?? 1,
    reducedMotion: options.reducedMotion === true ? "reduce" : "no-preference",
  });
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  const body = html({
    cspSource: ORIGIN,
    nonce: "bm9uY2U=",
    scriptUri: `${ORIGIN}/page.js`,
    styleUri: `${ORIGIN}/page.css`,
    ...(language() === "en" ? {} : { words: wordsScript(wordsFrom(storedWords("zh-cn", language()))) }),
  });
  await page.route("**/*", (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === "/") return route.fulfill({ contentType: "text/html", body });
    if (pathname === "/page.js") return route.fulfill({ contentType: "text/javascript", body: bundle.script });
    if (pathname === "/page.css") return route.fulfill({ contentType: "text/css", body: bundle.style });
    return route.fulfill({ status: 404, body: "" });
  });
  await page.addInitScript(`
    window.received = []; window.sent = []; window.addEventListener("message", ({ data }) => window.sent.push(data));
    window.state = ${JSON.stringify(options.savedState ?? null)} ?? undefined;
    window.acquireVsCodeApi = () => ({
      postMessage: (message) => { window.received.push(message); window.editor?.(message); },
      getState: () => window.state,
      setState: (state) => { window.state = state; },
    });`);
  await page.goto(`${ORIGIN}/`);
  const wear = async (name: keyof typeof THEMES): Promise<void> => {
    const theme = THEMES[name];
    await page.locator("body").evaluate((element, { class: names, variables }) => {
      element.classList.remove("vscode-dark", "vscode-light", "vscode-high-contrast", "vscode-high-contrast-light");
      element.removeAttribute("style");
      element.classList.add(...names.split(" "));
      for (const [key, value] of Object.entries(variables)) element.style.setProperty(`--vscode-${key}`, value);
    }, theme);
  };
  await wear("dark");
  return {
    page,
    received: () => page.evaluate("window.received"),
    state: () => page.evaluate("window.state"),
    // Posted, it would come at some time after this call.
    send: (message) =>
      page.evaluate(
        `window.dispatchEvent(new MessageEvent("message", { data: ${JSON.stringify(message)} })), ${DRAWN}.then(() => {})`,
      ),
    async resize(size) {
      await page.setViewportSize(size);
      await page.waitForFunction(`innerWidth === ${size.width} && innerHeight === ${size.height}`);
      await page.evaluate(`${DRAWN}.then(() => {})`);
    },
    wear,
    faults,
  };
}

/** Gives the processor time in milliseconds that the page's thread has for some work, whatever else the machine does. */
export async function cpuMeter(page: Page): Promise<(work: () => Promise<unknown>) => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1_000 * (metrics.find(({ name }) => name === "ThreadTime")?.value ?? Number.NaN);
  };
  return async (work) => {
    const before = await spent();
    await work();
    return (await spent()) - before;
  };
}

/** Gives how many functions, loops and branches of the page's program are entered for some work: always the same. */
export async function stepMeter(page: Page): Promise<(work: () => Promise<unknown>) => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Profiler.enable");
  await session.send("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const since = async (): Promise<number> => {
    const { result } = await session.send("Profiler.takePreciseCoverage");
    return result
      .filter(({ url }) => url.startsWith(ORIGIN))
      .flatMap(({ functions }) => functions)
      .flatMap(({ ranges }) => ranges)
      .reduce((sum, { count }) => sum + count, 0);
  };
  return async (work) => {
    await since();
    await work();
    return since();
  };
}

export function openTimelinePage(
  browser: Browser,
  bundle: Bundle,
  { folder = "/p/.jetson-memprof/runs/r1", ...options }: OpenOptions & { readonly folder?: string } = {},
): Promise<OpenPage> {
  return openPage(browser, bundle, (parts) => timelineHtml({ ...parts, folder }), options);
}

/** The same page, of a torch.profiler trace. */
export function openTracePage(browser: Browser, bundle: Bundle, options: OpenOptions = {}): Promise<OpenPage> {
  return openPage(browser, bundle, (parts) => traceHtml({ ...parts, folder: "/p/step.pt.trace.json" }), options);
}
