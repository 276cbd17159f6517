// Runs the in-host suite in the desktop VS Code, which is downloaded first.
// Usage: npm run test:electron [-- VERSION], where VERSION is "stable" or such as 1.91.1.
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { downloadAndUnzipVSCode, runTests } from "@vscode/test-electron";
import { bundleInHostSuite, bundleListener } from "../test/workbench/inhost/bundle.mjs";
import { copyProject } from "../test/workbench/support/server.mjs";
import { root, run } from "./setup.mjs";

const EXIT_UNAVAILABLE = 69;
const BROWSER_RUN = "The same suite runs without a download in the browser-run VS Code: npm test -- workbench";

function giveUp(message) {
  console.error(`${message}\n${BROWSER_RUN}`);
  process.exit(EXIT_UNAVAILABLE);
}

const version = process.argv[2] ?? "stable";
if (process.platform === "linux" && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY)
  giveUp("The desktop VS Code needs a display, and there is none. Start this with: xvfb-run -a npm run test:electron");

let vscodeExecutablePath;
try {
  vscodeExecutablePath = await downloadAndUnzipVSCode({ version, cachePath: path.join(root, ".cache/vscode") });
} catch (error) {
  const reason = [error?.message, error?.cause?.message].filter(Boolean).join(": ");
  giveUp(`VS Code ${version} could not be downloaded from update.code.visualstudio.com (${reason}).`);
}

run(process.execPath, [path.join(root, "scripts/build.mjs")]);
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "memprof-electron-"));
const folder = path.join(scratch, "project");
const results = path.join(scratch, "results.json");
copyProject(path.join(root, "examples"), folder);
try {
  await runTests({
    vscodeExecutablePath,
    extensionDevelopmentPath: [root, await bundleListener()],
    extensionTestsPath: await bundleInHostSuite(),
    extensionTestsEnv: { INHOST_RESULTS: results },
    launchArgs: [
      folder,
      "--disable-extensions",
      "--disable-workspace-trust",
      "--user-data-dir",
      path.join(scratch, "user"),
    ],
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
// A host that died is reported as a success: only complete results count.
const outcome = fs.existsSync(results) ? JSON.parse(fs.readFileSync(results, "utf8")) : undefined;
fs.rmSync(scratch, { recursive: true, force: true });
if (!outcome) {
  console.error("The extension host ended before the suite did.");
  process.exit(1);
}
for (const { title, message } of outcome.failed) console.error(`FAILED ${title}\n${message}\n`);
console.log(`VS Code ${version}: ${outcome.passed.length} passed, ${outcome.failed.length} failed`);
if (outcome.failed.length > 0) process.exit(1);
