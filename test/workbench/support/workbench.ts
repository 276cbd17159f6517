/** A VS Code server and a headless Chromium that shows one folder in it. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { chromiumProgram } from "../../../scripts/chromium.mjs";
import { inFull } from "../../support/inFull.ts";
import { removeFolder } from "../../support/removeFolder.mjs";
import { requirement } from "../../support/requirement.ts";
import { keptPlace, type OwnServer, ownPlace, type Place } from "./place.ts";
import { copyProject } from "./server.mjs";
import { LONG } from "./waiting.ts";

export const projectRoot = fileURLToPath(new URL("../../../", import.meta.url)).replace(/[/\\]$/, "");
const artifacts = path.join(projectRoot, "test/artifacts");

const CHROMIUM_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  // In a container /dev/shm often has 64 MiB only, and the page crashes once it is full.
  "--disable-dev-shm-usage",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Nothing but this machine can be reached from the page, so a test cannot lean on the internet.
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
];

/** Settings that make the page quick and its text easy to read for a test. */
const TEST_SETTINGS = {
  "editor.minimap.enabled": false,
  "editor.accessibilitySupport": "off",
  "editor.hover.delay": 100,
  "editor.cursorBlinking": "solid",
  "files.autoSave": "off",
  // Nothing fades in, so a picture never shows half of a message.
  "workbench.reduceMotion": "on",
  "remote.autoForwardPorts": false,
  // The terminal as text in the page, not as a picture.
  "terminal.integrated.gpuAcceleration": "off",
};

/** With one of those of `OwnServer` it has a server of its own. */
export interface WorkbenchOptions extends OwnServer {
  /** A folder whose copy is opened; undefined: the window is empty. */
  readonly folder: string | undefined;
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface Workbench {
  readonly page: Page;
  readonly server: Place["server"];
  /** The opened copy of the folder; it is not there where none is open. */
  readonly workspace: string;
  /** The home folder of the server's processes, empty at first. */
  readonly home: string;
  /** Replaces the workspace's settings; the page takes them over by itself. (It does not watch the user's.) */
  workspaceSettings(settings: Readonly<Record<string, unknown>>): void;
  /** Lines the page wrote to its console. */
  readonly consoleLines: readonly string[];
  /** Saves a picture of the page as test/artifacts/<name>.png, where one looks at them. */
  screenshot(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Whether there is a Chromium to show pages with; says so where there is none. */
export function hasChromium(): boolean {
  return requirement("Chromium", chromiumProgram());
}

export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumProgram(),
    headless: true,
    args: CHROMIUM_FLAGS,
  });
}

/**
 * A picture to look at; none where only those of failures are wanted.
 * @param name may have a folder; `fullPage`: what one has to scroll to as well
 */
export async function saveScreenshot(page: Page, name: string, options: { fullPage?: boolean } = {}): Promise<void> {
  // Nobody looks at those of a whole `npm test`, and each takes a tenth of a second of the processor.
  if (inFull) await pictureOf(page, name, options);
}

/** Writes test/artifacts/<name>.png and returns its path. */
export async function pictureOf(page: Page, name: string, options: { fullPage?: boolean } = {}): Promise<string> {
  const file = path.join(artifacts, `${name}.png`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  await page.screenshot({ path: file, ...options });
  return file;
}

/** Copies `folder` and opens the copy with the packaged extension; resolves when the explorer shows the files. */
export async function openWorkbench(options: WorkbenchOptions): Promise<Workbench> {
  const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "wbs-")));
  const workspace = path.join(scratch, "project");
  const { folder, settings, ...own } = options;
  if (folder !== undefined) copyProject(folder, workspace);
  const all = { ...TEST_SETTINGS, ...settings };
  const { server, home, leave } = Object.keys(own).length === 0 ? await keptPlace(all) : await ownPlace(own, all);
  let browser: Browser | undefined;
  let page: Page | undefined;
  const close = async (): Promise<void> => {
    // Whoever leaves is asked where something is not saved.
    page?.on("dialog", (dialog) => dialog.accept());
    // A page that goes elsewhere tells its extension host to end; that of one that is closed waits for it for hours.
    await page?.goto("about:blank").catch(() => undefined);
    await browser?.close();
    await leave();
    await removeFolder(scratch);
  };
  try {
    browser = await launchChromium();
    const opened = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page = opened;
    page.setDefaultTimeout(LONG);
    const consoleLines: string[] = [];
    page.on("console", (message) => consoleLines.push(`[${message.type()}] ${message.text()}`));
    page.on("pageerror", (error) => consoleLines.push(`[pageerror] ${error.message}`));
    await page.goto(server.url(folder === undefined ? {} : { folder: workspace }));
    if (folder !== undefined) await page.waitForSelector(".explorer-folders-view .monaco-list-row");
    // The icon comes together with all else that the manifest brings, as commands and the items of menus.
    await page.waitForSelector('.activitybar .action-label[aria-label^="Jetson "]');
    return {
      page: opened,
      server,
      workspace,
      home,
      consoleLines,
      workspaceSettings: (settings) => {
        fs.mkdirSync(path.join(workspace, ".vscode"), { recursive: true });
        fs.writeFileSync(path.join(workspace, ".vscode/settings.json"), JSON.stringify(settings, null, 2));
      },
      screenshot: (name) => saveScreenshot(opened, name),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
