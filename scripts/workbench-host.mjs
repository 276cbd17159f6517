// Installs the VS Code server that ships inside the npm package code-server, from the npm registry alone and without
// any install script. The first install takes half a minute and 300 MB; afterwards everything runs offline.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const hostFolder = fileURLToPath(new URL("../test/workbench/host/", import.meta.url));
const vscodeFolder = path.join(hostFolder, "node_modules/code-server/lib/vscode");
const stampFile = path.join(hostFolder, "node_modules/.workbench-host.json");

/** The entry point of the VS Code server. */
export const serverMain = path.join(vscodeFolder, "out/server-main.js");

const watchdogStandIn = "exports.start = () => {};\nexports.exit = (code) => process.exit(code || 0);\n";

// The real one is a C++ file logger.
const loggerStandIn = `const fs = require("node:fs");
const path = require("node:path");
const NAMES = ["trace", "debug", "info", "warning", "error", "critical"];
class Logger {
  constructor(_kind, _name, file) {
    this.file = file;
    this.level = 2;
    fs.mkdirSync(path.dirname(file), { recursive: true });
  }
  write(level, message) {
    if (level < this.level) return;
    try {
      fs.appendFileSync(this.file, \`\${new Date().toISOString()} [\${NAMES[level]}] \${message}\\n\`);
    } catch {}
  }
  getLevel() { return this.level; }
  setLevel(level) { this.level = level; }
  clearFormatters() {}
  setPattern() {}
  flush() {}
  drop() {}
}
for (const [level, name] of ["trace", "debug", "info", "warn", "error", "critical"].entries())
  Logger.prototype[name] = function (message) { this.write(level, message); };
exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = exports.createAsyncRotatingLogger = async (name, file) => new Logger("rotating", name, file);
`;

function runNpm(args, cwd) {
  const result = spawnSync("npm", [...args, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd,
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (result.status !== 0)
    throw new Error(
      `npm ${args[0]} in ${cwd} failed: ${result.error?.message ?? result.stderr.trim()}\n` +
        "The browser-run VS Code comes from the npm registry: check that it can be reached, then run this again.",
    );
}

function which(program) {
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    const file = path.join(folder, program);
    if (folder && fs.existsSync(file)) return file;
  }
  return undefined;
}

function putStandIns() {
  const modules = path.join(vscodeFolder, "node_modules");
  for (const name of ["native-watchdog", "@vscode/native-watchdog"])
    if (fs.existsSync(path.join(modules, name)))
      fs.writeFileSync(path.join(modules, name, "index.js"), watchdogStandIn);
  fs.writeFileSync(path.join(modules, "@vscode/spdlog/index.js"), loggerStandIn);
  // The server looks for some of its modules in an archive of this name.
  const archive = path.join(vscodeFolder, "node_modules.asar");
  fs.rmSync(archive, { force: true, recursive: true });
  fs.symlinkSync("node_modules", archive);
}

function linkRipgrep() {
  const ripgrep = which("rg");
  const package_ = path.join(vscodeFolder, "node_modules/@vscode/ripgrep");
  if (!ripgrep || !fs.existsSync(package_)) return false;
  fs.mkdirSync(path.join(package_, "bin"), { recursive: true });
  fs.rmSync(path.join(package_, "bin/rg"), { force: true });
  fs.symlinkSync(ripgrep, path.join(package_, "bin/rg"));
  return true;
}

/** Builds node-pty, which the integrated terminal's shells need; tells why it could not. */
function compileTerminal() {
  const folder = path.join(vscodeFolder, "node_modules/node-pty");
  const npmRoot = spawnSync("npm", ["root", "-g"], { encoding: "utf8", shell: process.platform === "win32" });
  const gyp = path.join(npmRoot.stdout?.trim() ?? "", "npm/node_modules/node-gyp/bin/node-gyp.js");
  if (!fs.existsSync(gyp)) return `node-gyp was not found at ${gyp}`;
  // Debian's node has its headers in /usr/include/node: nothing is downloaded.
  const prefix = path.dirname(path.dirname(process.execPath));
  const headers = fs.existsSync(path.join(prefix, "include/node/node_api.h")) ? [`--nodedir=${prefix}`] : [];
  const result = spawnSync(process.execPath, [gyp, "rebuild", ...headers], { cwd: folder, encoding: "utf8" });
  if (result.status === 0) return undefined;
  return (result.stderr || result.error?.message || "node-gyp failed").trim().split("\n").slice(-3).join(" ");
}

/**
 * Installs the server when it is missing or of another version.
 * @param {{log?: (line: string) => void}} [options]
 * @returns {{serverMain: string, terminal: boolean, search: boolean}} what the installed server can do
 * @throws {Error} when npm cannot install it
 */
export function ensureWorkbenchHost({ log = console.log } = {}) {
  const lock = fs.readFileSync(path.join(hostFolder, "package-lock.json"));
  const digest = createHash("sha256")
    .update(lock)
    .update(fs.readFileSync(fileURLToPath(import.meta.url)))
    .update(process.version)
    .digest("hex");
  try {
    const stamp = JSON.parse(fs.readFileSync(stampFile, "utf8"));
    if (stamp.digest === digest && fs.existsSync(serverMain)) return { serverMain, ...stamp.capabilities };
  } catch {
    // No stamp, or a torn one: install again.
  }
  log("Installing the browser-run VS Code (about 300 MB, once)…");
  fs.rmSync(stampFile, { force: true });
  runNpm(["ci"], hostFolder);
  runNpm(["ci", "--legacy-peer-deps", "--omit=dev"], vscodeFolder);
  putStandIns();
  const search = linkRipgrep();
  if (!search) log("SKIPPED text search in the browser-run VS Code: ripgrep (rg) is not installed.");
  const terminalFault = compileTerminal();
  if (terminalFault) log(`SKIPPED shells in the browser-run VS Code: node-pty did not compile: ${terminalFault}`);
  const capabilities = { terminal: terminalFault === undefined, search };
  fs.writeFileSync(stampFile, JSON.stringify({ digest, capabilities }));
  return { serverMain, ...capabilities };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const host = ensureWorkbenchHost();
  console.log(
    `${host.serverMain}\nshells: ${host.terminal ? "yes" : "no"}, text search: ${host.search ? "yes" : "no"}`,
  );
}
