/** A story: tests that go on from where the one before them ended, in one workbench. */
import * as path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, inject } from "vitest";
import {
  hasChromium,
  openWorkbench,
  pictureOf,
  projectRoot,
  type Workbench,
  type WorkbenchOptions,
} from "./workbench.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The packaged extension. */
    vsix: string;
  }
}

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
      extension: { vsix: inject("vsix") },
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
    console.log(`${picture}\n${workbench.consoleLines.slice(-15).join("\n")}`);
  });
  afterAll(() => workbench?.close());
  return () => {
    if (!workbench) throw new Error("The workbench is not open yet.");
    return workbench;
  };
}
