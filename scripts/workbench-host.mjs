// Installs the VS Code servers that ship inside the npm package code-server, from the npm registry alone and without
// any install script. Each first install takes half a minute and 300 MB; afterwards everything runs offline.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { installByNpm } from "./npm.mjs";

/** See workbench-host.d.mts. */
export const HOSTS = { usual: ".", oldest: "oldest", newest: "newest" };

/** code-server 4.93's list of the server's packages lacks one for Windows, which `npm ci` refuses. */
const INCOMPLETE_LIST = ["oldest"];

function placesOf(host) {
  const folder = fileURLToPath(new URL(`../test/workbench/host/${HOSTS[host]}/`, import.meta.url));
  const modules = path.join(folder, "node_modules");
  const vscode = path.join(modules, "code-server/lib/vscode");
  const own = path.join(folder, "start.cjs");
  return { folder, modules, vscode, main: fs.existsSync(own) ? own : path.join(vscode, "out/server-main.js") };
}

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
  const failure = installByNpm([...args, "--loglevel=error"], { cwd, stdio: ["ignore", "ignore", "pipe"] });
  if (failure !== undefined)
    throw new Error(
      `${failure}\nThe browser-run VS Code comes from the npm registry: check that it can be reached, then run this again.`,
    );
}

function which(program) {
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    const file = path.join(folder, program);
    if (folder && fs.existsSync(file)) return file;
  }
  return undefined;
}

function putStandIns(vscode) {
  const modules = path.join(vscode, "node_modules");
  for (const name of ["native-watchdog", "@vscode/native-watchdog"])
    if (fs.existsSync(path.join(modules, name)))
      fs.writeFileSync(path.join(modules, name, "index.js"), watchdogStandIn);
  fs.writeFileSync(path.join(modules, "@vscode/spdlog/index.js"), loggerStandIn);
  // The server looks for some of its modules in an archive of this name.
  const archive = path.join(vscode, "node_modules.asar");
  fs.rmSync(archive, { force: true, recursive: true });
  fs.symlinkSync("node_modules", archive);
}

function linkRipgrep(vscode) {
  const ripgrep = which("rg");
  const package_ = path.join(vscode, "node_modules/@vscode/ripgrep");
  if (!ripgrep || !fs.existsSync(package_)) return false;
  fs.mkdirSync(path.join(package_, "bin"), { recursive: true });
  fs.rmSync(path.join(package_, "bin/rg"), { force: true });
  fs.symlinkSync(ripgrep, path.join(package_, "bin/rg"));
  return true;
}

/** Builds node-pty, which the integrated terminal's shells need; tells why it could not. */
function compileTerminal(vscode) {
  const folder = path.join(vscode, "node_modules/node-pty");
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

/** What the stories in the usual host need beside the server: text search and shells. */
function addPrograms(vscode, log) {
  const search = linkRipgrep(vscode);
  if (!search) log("SKIPPED text search in the browser-run VS Code: ripgrep (rg) is not installed.");
  const terminalFault = compileTerminal(vscode);
  if (terminalFault) log(`SKIPPED shells in the browser-run VS Code: node-pty did not compile: ${terminalFault}`);
  return { terminal: terminalFault === undefined, search };
}

/** The Node that came with the server, where it wants a newer one than the tests run on. */
function nodeFor(modules) {
  const own = path.join(modules, `node-linux-${process.arch}/bin/node`);
  return fs.existsSync(own) ? own : process.execPath;
}

/** See workbench-host.d.mts. */
export function ensureWorkbenchHost({ host = "usual", log = console.log } = {}) {
  const { folder, modules, vscode, main } = placesOf(host);
  const stampFile = path.join(modules, ".workbench-host.json");
  const installed = (capabilities) => {
    const { version } = JSON.parse(fs.readFileSync(path.join(vscode, "package.json"), "utf8"));
    const extensions = path.join(vscode, "extensions");
    return { serverMain: main, node: nodeFor(modules), extensions, version, ...capabilities };
  };
  const digest = createHash("sha256")
    .update(fs.readFileSync(path.join(folder, "package-lock.json")))
    .update(fs.readFileSync(fileURLToPath(import.meta.url)))
    .update(process.version)
    .digest("hex");
  try {
    const stamp = JSON.parse(fs.readFileSync(stampFile, "utf8"));
    if (stamp.digest === digest && fs.existsSync(vscode)) return installed(stamp.capabilities);
  } catch {
    // No stamp, or a torn one: install again.
  }
  log(`Installing the ${host} browser-run VS Code (about 300 MB, once)…`);
  fs.rmSync(stampFile, { force: true });
  runNpm(["ci"], folder);
  const command = INCOMPLETE_LIST.includes(host) ? ["install", "--no-save"] : ["ci"];
  runNpm([...command, "--legacy-peer-deps", "--omit=dev"], vscode);
  putStandIns(vscode);
  const capabilities = host === "usual" ? addPrograms(vscode, log) : { terminal: false, search: false };
  fs.writeFileSync(stampFile, JSON.stringify({ digest, capabilities }));
  return installed(capabilities);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of Object.keys(HOSTS)) {
    const { version, serverMain, terminal, search } = ensureWorkbenchHost({ host: name });
    const has = (capability) => (capability ? "yes" : "no");
    console.log(`${name}: VS Code ${version}, shells: ${has(terminal)}, text search: ${has(search)}\n  ${serverMain}`);
  }
}
