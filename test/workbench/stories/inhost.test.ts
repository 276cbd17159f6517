import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { expect, test } from "vitest";
import { removeFolder } from "../../support/removeFolder.mjs";
import { bundleInHostSuite, bundleListener } from "../inhost/bundle.mjs";
import type { InHostResults } from "../inhost/index.ts";
import { copyProject, STORY_EXTENSIONS, startServer } from "../support/server.mjs";
import { LONG } from "../support/waiting.ts";
import { hasChromium, launchChromium, projectRoot } from "../support/workbench.ts";

const EXPECTED_TESTS = 8;

test.skipIf(!hasChromium())("the suite inside the extension host passes", async () => {
  const tests = await bundleInHostSuite();
  const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "wbi-")));
  const folder = path.join(scratch, "project");
  const results = path.join(scratch, "results.json");
  copyProject(path.join(projectRoot, "examples"), folder);
  fs.mkdirSync(path.join(scratch, "home"));
  const server = await startServer({
    besides: await bundleListener(),
    builtIn: STORY_EXTENSIONS,
    env: { HOME: path.join(scratch, "home"), INHOST_RESULTS: results },
  });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(LONG);
    const log: string[] = [];
    // The page calls these when they exist; the second one says that run() has ended.
    await page.exposeFunction("codeAutomationLog", (_type: string, parts: unknown[]) => log.push(parts.join(" ")));
    const ended = new Promise<void>((resolve) => page.exposeFunction("codeAutomationExit", () => resolve()));
    await page.goto(server.url({ folder, extension: projectRoot, tests }));
    await ended;
    expect(fs.existsSync(results), `the extension host died:\n${log.slice(-20).join("\n")}`).toBe(true);
    const { passed, failed, pending } = JSON.parse(fs.readFileSync(results, "utf8")) as InHostResults;
    // Thrown, so that the report has all of it.
    if (failed.length > 0) throw new Error(failed.map(({ title, message }) => `${title}: ${message}`).join("\n"));
    expect(pending).toEqual([]);
    expect(passed).toHaveLength(EXPECTED_TESTS);
  } finally {
    await browser.close();
    await server.stop();
    await removeFolder(scratch);
  }
});
