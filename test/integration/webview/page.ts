/** A page of the extension in a plain Chromium, with a stand-in for VS Code's side of it. */

import * as esbuild from "esbuild";
import type { Browser, Page } from "playwright-core";
import { timelineHtml } from "../../../src/editor/timelineHtml.ts";
import type { ToPage } from "../../../src/protocol/timeline.ts";
import { projectRoot } from "../../workbench/support/workbench.ts";

const ORIGIN = "https://page.test";

export interface Bundle {
  readonly script: string;
  readonly style: string;
}

export async function bundleTimeline(): Promise<Bundle> {
  const { outputFiles } = await esbuild.build({
    entryPoints: { timeline: "webview/timeline/main.ts" },
    absWorkingDir: projectRoot,
    outdir: "dist",
    bundle: true,
    write: false,
  });
  const text = (ending: string): string => outputFiles.find((file) => file.path.endsWith(ending))?.text ?? "";
  return { script: text(".js"), style: text(".css") };
}

/** The colours of VS Code's four default themes that the page uses, as VS Code sets them on a webview. */
export const THEMES = {
  dark: {
    class: "vscode-dark",
    variables: {
      foreground: "#cccccc",
      "editor-background": "#1f1f1f",
      "charts-blue": "#59a4f9",
      "charts-green": "#89d185",
      "charts-red": "#f14c4c",
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
    },
  },
} as const;

export interface TimelinePage {
  readonly page: Page;
  /** What the page said to the editor. */
  received(): Promise<readonly unknown[]>;
  state(): Promise<unknown>;
  send(message: ToPage | object): Promise<void>;
  wear(theme: keyof typeof THEMES): Promise<void>;
  /** Errors and refusals of the content security policy. */
  readonly faults: readonly string[];
}

export async function openTimelinePage(
  browser: Browser,
  bundle: Bundle,
  options: { readonly folder?: string; readonly savedState?: unknown } = {},
): Promise<TimelinePage> {
  const page = await browser.newPage({ viewport: { width: 900, height: 640 } });
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  const html = timelineHtml({
    cspSource: ORIGIN,
    nonce: "bm9uY2U=",
    scriptUri: `${ORIGIN}/timeline.js`,
    styleUri: `${ORIGIN}/timeline.css`,
    folder: options.folder ?? "/p/.jetson-memprof/runs/r1",
  });
  await page.route("**/*", (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === "/") return route.fulfill({ contentType: "text/html", body: html });
    if (pathname === "/timeline.js") return route.fulfill({ contentType: "text/javascript", body: bundle.script });
    if (pathname === "/timeline.css") return route.fulfill({ contentType: "text/css", body: bundle.style });
    return route.fulfill({ status: 404, body: "" });
  });
  await page.addInitScript(`
    window.received = []; window.state = ${JSON.stringify(options.savedState ?? null)} ?? undefined;
    window.acquireVsCodeApi = () => ({
      postMessage: (message) => window.received.push(message),
      getState: () => window.state,
      setState: (state) => { window.state = state; },
    });`);
  await page.goto(`${ORIGIN}/`);
  const wear = async (name: keyof typeof THEMES): Promise<void> => {
    const theme = THEMES[name];
    await page.locator("body").evaluate((body, { class: names, variables }) => {
      body.classList.remove("vscode-dark", "vscode-light", "vscode-high-contrast", "vscode-high-contrast-light");
      body.classList.add(...names.split(" "));
      for (const [key, value] of Object.entries(variables)) body.style.setProperty(`--vscode-${key}`, value);
    }, theme);
  };
  await wear("dark");
  return {
    page,
    received: () => page.evaluate("window.received"),
    state: () => page.evaluate("window.state"),
    send: (message) => page.evaluate(`window.postMessage(${JSON.stringify(message)}, "*")`),
    wear,
    faults,
  };
}
