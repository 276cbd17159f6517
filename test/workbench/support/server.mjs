// Starts the VS Code server on 127.0.0.1 with a data folder of its own, and ends it with everything it started.
import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { ensureWorkbenchHost } from "../../../scripts/workbench-host.mjs";
import { removeFolder } from "../../support/removeFolder.mjs";

/** Restricted Mode from the start, without its question. */
const RESTRICTED_SETTINGS = {
  "security.workspace.trust.enabled": true,
  "security.workspace.trust.startupPrompt": "never",
  "security.workspace.trust.banner": "never",
};

const START_DEADLINE_MS = 120_000;

const QUIET_SETTINGS = {
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "update.mode": "none",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "git.openRepositoryInParentFolders": "never",
  "chat.commandCenter.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "typescript.disableAutomaticTypeAcquisition": true,
  "json.schemaDownload.enable": false,
};

/** See server.d.mts. */
export const STORY_EXTENSIONS = [
  "configuration-editing",
  "ipynb",
  "json",
  "json-language-features",
  "log",
  "markdown-basics",
  "markdown-language-features",
  "notebook-renderers",
  "python",
  "search-result",
  "theme-defaults",
  "theme-seti",
];

/** A folder with these of VS Code's own extensions. */
function linkExtensions(names, { extensions }, dataDir) {
  const folder = path.join(dataDir, "built-in");
  fs.mkdirSync(folder);
  for (const name of names) fs.symlinkSync(path.join(extensions, name), path.join(folder, name), "junction");
  return folder;
}

/** See server.d.mts. */
export function copyProject(from, to) {
  const left = new Set([".jetson-memprof", "__pycache__"]);
  fs.cpSync(from, to, { recursive: true, filter: (source) => !left.has(path.basename(source)) });
}

/** Signals the server's whole process group; false when nothing of it is left. */
function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** A language's pack without words in it: VS Code's own stay English, an extension's are of that language. */
function putLanguagePack(dataDir, language) {
  const words = path.join(dataDir, "data/words.json");
  fs.writeFileSync(words, JSON.stringify({ contents: {} }));
  const pack = {
    hash: "empty",
    label: language,
    extensions: [{ extensionIdentifier: { id: "test.words" }, version: "1.0.0" }],
    translations: { vscode: words },
  };
  fs.writeFileSync(path.join(dataDir, "data/languagepacks.json"), JSON.stringify({ [language]: pack }));
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function installVsix({ node, serverMain }, dataDir, vsix, env) {
  const args = ["--accept-server-license-terms", "--server-data-dir", dataDir, "--install-extension", vsix];
  const result = spawnSync(node, [serverMain, ...args], { env, encoding: "utf8" });
  if (result.status !== 0 || !/successfully installed/.test(result.stdout))
    throw new Error(`The server could not install ${vsix}:\n${result.stdout}${result.stderr}`);
}

async function portOf(child, logFile) {
  const deadline = Date.now() + START_DEADLINE_MS;
  for (;;) {
    const log = fs.readFileSync(logFile, "utf8");
    const port = /Extension host agent listening on (\d+)/.exec(log)?.[1];
    if (port) {
      const answered = await fetch(`http://127.0.0.1:${port}/version`).then(
        (reply) => reply.ok,
        () => false,
      );
      if (answered) return Number(port);
    }
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline)
      throw new Error(`The VS Code server did not start:\n${log.slice(-2000)}`);
    await sleep(100);
  }
}

/** See server.d.mts. */
export function writeSettings(dataDir, settings) {
  // Those of the machine are the server's: of the user's file a page leaves them out once it knows what they are.
  for (const level of ["User", "Machine"]) {
    const file = path.join(dataDir, "data", level, "settings.json");
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, JSON.stringify({ ...QUIET_SETTINGS, ...settings }, null, 2));
  }
}

/** See server.d.mts. */
export function urlOf(port, { folder, extension, tests, openFile }) {
  const remote = (file) => `vscode-remote://127.0.0.1:${port}${file}`;
  const payload = [["skipWelcome", "true"]];
  if (extension) payload.push(["extensionDevelopmentPath", remote(extension)]);
  if (tests) payload.push(["extensionTestsPath", remote(tests)]);
  if (openFile) payload.push(["openFile", remote(openFile)]);
  const opened = folder === undefined ? { ew: "true" } : { folder };
  const query = new URLSearchParams({ ...opened, payload: JSON.stringify(payload) });
  return `http://127.0.0.1:${port}/?${query}`;
}

/** See server.d.mts. */
export async function startServer({
  vsix,
  besides,
  builtIn,
  settings = {},
  env = {},
  restricted = false,
  language,
  host,
  log,
} = {}) {
  const installed = ensureWorkbenchHost({ ...(host ? { host } : {}), ...(log ? { log } : {}) });
  // Unix sockets lie in this folder and their paths are limited to 107 characters: keep it short.
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "wb-"));
  writeSettings(dataDir, { ...(restricted ? RESTRICTED_SETTINGS : {}), ...settings });
  if (language) putLanguagePack(dataDir, language);
  const serverEnv = { ...process.env, EXTENSIONS_GALLERY: "{}", TMPDIR: dataDir, ...env };
  // A test run's own loader options are not for the server.
  delete serverEnv.NODE_OPTIONS;
  if (vsix) installVsix(installed, dataDir, vsix, serverEnv);
  if (besides) fs.cpSync(besides, path.join(dataDir, "extensions", path.basename(besides)), { recursive: true });

  const logFile = path.join(dataDir, "server.log");
  const logHandle = fs.openSync(logFile, "w");
  const child = spawn(
    installed.node,
    [
      installed.serverMain,
      "--host=127.0.0.1",
      "--port=0",
      "--without-connection-token",
      "--accept-server-license-terms",
      "--telemetry-level=off",
      ...(restricted ? [] : ["--disable-workspace-trust"]),
      ...(language ? [`--locale=${language}`] : []),
      "--disable-getting-started-override",
      // The environment is the one given here, not a login shell's.
      "--force-disable-user-env",
      // No --enable-smoke-test-driver: with it the page refuses to show modal dialogs.
      `--server-data-dir=${dataDir}`,
      ...(builtIn ? [`--builtin-extensions-dir=${linkExtensions(builtIn, installed, dataDir)}`] : []),
    ],
    { stdio: ["ignore", logHandle, logHandle], detached: true, env: serverEnv },
  );
  fs.closeSync(logHandle);
  const endNow = () => signalGroup(child.pid, "SIGKILL");
  process.once("exit", endNow);

  const stop = async () => {
    signalGroup(child.pid, "SIGTERM");
    for (let i = 0; i < 100 && signalGroup(child.pid, 0); i++) await sleep(100);
    endNow();
    process.removeListener("exit", endNow);
    await removeFolder(dataDir);
  };

  let port;
  try {
    port = await portOf(child, logFile);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, pid: child.pid, dataDir, version: installed.version, url: (page) => urlOf(port, page), stop };
}

/** See server.d.mts. */
export async function startStoryServer(options) {
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "wbh-")));
  const server = await startServer({ ...options, builtIn: STORY_EXTENSIONS, env: { HOME: home, ...options.env } });
  return {
    server,
    home,
    async stop() {
      await server.stop();
      await removeFolder(home);
    },
  };
}
