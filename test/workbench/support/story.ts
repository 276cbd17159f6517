/** A story: tests that go on from where the one before them ended, in one workbench. */
import * as fs from "node:fs";
import * as path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, test } from "vitest";
import { inFull } from "../../support/inFull.ts";
import { THEMES, type Theme, waitForTheme } from "./ui.ts";
import {
  hasChromium,
  openWorkbench,
  pictureOf,
  projectRoot,
  type Workbench,
  type WorkbenchOptions,
} from "./workbench.ts";

/**
 * Opens a copy of test/workbench/project with the packaged extension before the tests of the file. After a failure the
 * rest of the story is skipped: it would only fail for the same reason, and slowly.
 */
export function story(name: string, options: () => Partial<WorkbenchOptions> = () => ({})): () => Workbench {
  const possible = hasChromium();
  let workbench: Workbench | undefined;
  let failedAt: string | undefined;
  beforeAll(async () => {
    if (!possible) return;
    workbench = await openWorkbench({
      folder: path.join(projectRoot, "test/workbench/project"),
      ...options(),
    });
  });
  beforeEach((context) => {
    if (!possible) context.skip("Chromium is missing");
    if (failedAt !== undefined) context.skip(`"${failedAt}" failed before`);
  });
  afterEach(async (context) => {
    if (context.task.result?.state !== "fail" || failedAt !== undefined) return;
    failedAt = context.task.name;
    if (workbench === undefined) return;
    const picture = await pictureOf(workbench.page, `failed-${name}`);
    // What the extension, its server and VS Code itself wrote.
    const logs = path.join(workbench.server.dataDir, "data/logs");
    fs.cpSync(logs, picture.replace(/\.png$/, "-logs"), { recursive: true });
    console.log(`${picture}\n${workbench.consoleLines.slice(-15).join("\n")}`);
  });
  afterAll(() => workbench?.close());
  return () => {
    if (!workbench) throw new Error("The workbench is not open yet.");
    return workbench;
  };
}

/** A test that takes a picture of what is shown in each theme, the dark one last, to be looked at. */
export function picturesInThemes(
  workbench: () => Workbench,
  name: string,
  settings: () => Readonly<Record<string, unknown>> = () => ({}),
): void {
  test.runIf(inFull)("is pictured in every theme", async () => {
    const { page, workspaceSettings, screenshot } = workbench();
    for (const theme of ["light", "hc-dark", "hc-light", "dark"] satisfies Theme[]) {
      workspaceSettings({ ...settings(), "workbench.colorTheme": THEMES[theme] });
      await waitForTheme(page, theme);
      await screenshot(`${name}-${theme}`);
    }
  });
}
