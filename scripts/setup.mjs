// What a fresh machine lacks: npm packages always, Debian packages where apt may be used, else a list of what to install.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { chromiumProgram } from "./chromium.mjs";
import { installByNpm } from "./npm.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const isCi = process.env.CI === "true";

/** Exit code of a part that could not run on this machine; a failure in CI. */
export const SKIPPED = 77;

/** Runs a command with the terminal's own input and output; throws when it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: "inherit", shell: false, ...options });
  if (result.error) throw result.error;
  if (result.status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${result.status ?? result.signal}`);
}

/** Installs the npm packages when they are absent or the lock file changed since. */
export function installNpmPackages() {
  requireNode();
  const lock = fs.readFileSync(path.join(root, "package-lock.json"));
  const digest = createHash("sha256").update(lock).digest("hex");
  const stamp = path.join(root, "node_modules", ".lock-digest");
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === digest) return;
  console.log("Installing the npm packages …");
  // esbuild and Biome bring their programs as packages, so no install script needs to run.
  const failure = installByNpm(["ci"], { cwd: root, stdio: "inherit" });
  if (failure !== undefined) throw new Error(failure);
  fs.writeFileSync(stamp, digest);
}

function requireNode() {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 20) {
    console.error(`Node ${process.versions.node} is too old: Node 20 or newer is needed (https://nodejs.org).`);
    process.exit(1);
  }
}

/** Whether Debian has that shared library, for whatever machine this is. */
function isLibrary(name) {
  const folders = ["x86_64", "aarch64"].map((machine) => `/usr/lib/${machine}-linux-gnu`);
  return folders.some((folder) => fs.existsSync(path.join(folder, name)));
}

const DEBIAN_MODULES = "/usr/lib/python3/dist-packages";

/**
 * What the tests need beyond npm: each with the parts that need it, a check and the Debian packages that bring it,
 * `instead` where a release does not have those.
 */
export const requirements = [
  {
    name: "python3",
    packages: ["python3"],
    present: () => onPath("python3"),
    parts: ["unit", "helper", "aarch64", "integration", "faults", "workbench"],
  },
  {
    name: "Debian's Python",
    packages: ["python3"],
    present: () => fs.existsSync("/usr/bin/python3"),
    parts: ["helper", "integration", "faults", "workbench"],
  },
  {
    name: "C compiler",
    packages: ["gcc", "libc6-dev"],
    present: () => onPath("gcc"),
    parts: ["accelerator", "package", "helper", "integration", "faults", "workbench"],
  },
  {
    name: "aarch64 C compiler",
    packages: ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
    present: () => onPath("aarch64-linux-gnu-gcc"),
    parts: ["accelerator", "package", "aarch64", "workbench"],
  },
  {
    name: "C++ compiler and make",
    packages: ["g++", "make"],
    present: () => onPath("g++") && onPath("make"),
    parts: ["workbench"],
  },
  {
    name: "OpenSSH server and client",
    packages: ["openssh-server", "openssh-client"],
    present: () => fs.existsSync("/usr/sbin/sshd") && onPath("ssh"),
    parts: ["unit", "integration", "faults", "workbench"],
  },
  {
    name: "other allocators and another C library",
    packages: ["libjemalloc2", "libtcmalloc-minimal4", "musl-tools"],
    present: () => onPath("musl-gcc") && ["libjemalloc.so.2", "libtcmalloc_minimal.so.4"].every(isLibrary),
    parts: ["helper"],
  },
  {
    name: "aarch64 emulator",
    packages: ["qemu-user-static"],
    present: () => onPath("qemu-aarch64-static"),
    parts: ["aarch64"],
  },
  {
    name: "Chromium",
    packages: ["chromium-headless-shell", "fonts-dejavu-core"],
    instead: ["chromium", "fonts-dejavu-core"],
    present: () => fs.existsSync(chromiumProgram()),
    parts: ["integration", "faults", "workbench"],
  },
  {
    name: "valgrind",
    packages: ["valgrind"],
    present: () => onPath("valgrind"),
    parts: ["unit", "helper", "integration", "faults", "workbench"],
  },
  {
    name: "podman and a runtime for it",
    packages: ["podman", "runc"],
    present: () => onPath("podman") && (onPath("runc") || onPath("crun")),
    parts: ["integration"],
  },
  { name: "smem", packages: ["smem"], present: () => onPath("smem"), parts: ["unit", "integration"] },
  { name: "ripgrep", packages: ["ripgrep"], present: () => onPath("rg"), parts: ["workbench"] },
  { name: "git", packages: ["git"], present: () => onPath("git"), parts: ["check", "unit", "integration", "faults"] },
  { name: "Neovim", packages: ["neovim"], present: () => onPath("nvim"), parts: ["integration"] },
  {
    name: "a Jupyter kernel for Debian's Python",
    packages: ["python3-ipykernel"],
    present: () =>
      spawnSync("/usr/bin/python3", ["-c", "import ipykernel, jupyter_client"], { stdio: "ignore" }).status === 0,
    parts: ["helper", "integration", "workbench"],
  },
  {
    name: "torch, NumPy and memory_profiler for Debian's Python",
    packages: ["python3-torch", "python3-numpy", "python3-memory-profiler", "python3-psutil"],
    // Not those that pip may have put elsewhere: the tests ask for these.
    present: () =>
      ["torch", "numpy", "memory_profiler.py", "psutil"].every((name) => fs.existsSync(`${DEBIAN_MODULES}/${name}`)),
    parts: ["helper", "integration", "workbench"],
  },
];

export function onPath(program, paths = process.env.PATH ?? "") {
  return paths.split(path.delimiter).some((folder) => folder && fs.existsSync(path.join(folder, program)));
}

/**
 * Installs missing system packages with apt where this user may, else says what to install.
 * @param {ReadonlySet<string>} parts of the tests that are to run
 * @returns {string[]} the names of what is still missing
 */
export function installSystemPackages(parts) {
  const missing = requirements.filter((one) => one.parts.some((part) => parts.has(part)) && !one.present());
  if (missing.length === 0) return [];
  const apt = aptCommand();
  if (apt) {
    console.log(`Installing Debian packages: ${packagesOf(missing).join(" ")}`);
    const options = ["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"];
    const ask = (...args) => {
      const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
      return spawnSync(apt[0], [...apt.slice(1), ...options, ...args], { stdio: ["ignore", "ignore", "inherit"], env });
    };
    const install = (packages) => ask("install", "-y", "-q", "--no-install-recommends", ...packages).status === 0;
    twice(() => ask("update", "-q").status === 0);
    // One at a time where that fails: a package this release does not have must not keep the others away.
    if (!install(packagesOf(missing)))
      for (const { present, packages, instead } of missing)
        if (!present() && !twice(() => install(packages)) && instead) install(instead);
  }
  const still = missing.filter((requirement) => !requirement.present());
  if (still.length > 0) {
    console.error(`\nMissing on this machine: ${still.map((requirement) => requirement.name).join(", ")}.`);
    console.error(`Install it with:  sudo apt-get install --no-install-recommends ${packagesOf(still).join(" ")}\n`);
  }
  return still.map((requirement) => requirement.name);
}

const packagesOf = (list) => [...new Set(list.flatMap(({ packages }) => packages))];

/** A registry may answer at the second try only. */
function twice(attempt) {
  return attempt() || attempt();
}

function aptCommand() {
  if (process.platform !== "linux" || !onPath("apt-get")) return undefined;
  if (os.userInfo().uid === 0) return ["apt-get"];
  const sudo = spawnSync("sudo", ["-n", "true"], { stdio: "ignore" });
  return sudo.status === 0 ? ["sudo", "-n", "apt-get"] : undefined;
}

/** That the helper was tried with. */
const NEWEST_MINOR = 15;

/**
 * Every CPython from 3.6 on that this machine has, newest last: [{ path, version }], one for each minor version and each
 * that is built to run without a global lock ("3.14t").
 */
export function findPythons() {
  const candidates = ["/usr/bin/python3"];
  const versions = path.join(process.env.PYENV_ROOT ?? path.join(os.homedir(), ".pyenv"), "versions");
  if (fs.existsSync(versions)) {
    for (const version of fs.readdirSync(versions)) candidates.push(path.join(versions, version, "bin", "python3"));
  }
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    for (let minor = 6; minor <= NEWEST_MINOR; minor++)
      for (const build of ["", "t"]) candidates.push(path.join(folder, `python3.${minor}${build}`));
  }
  const found = new Map();
  for (const candidate of candidates) {
    if (!fs.existsSync(candidate)) continue;
    const probe = spawnSync(
      candidate,
      ["-c", "import sys; print('%s %d.%d%s' % ((sys.implementation.name,) + sys.version_info[:2] + (sys.abiflags,)))"],
      { encoding: "utf8" },
    );
    const match = /^cpython (3\.(\d+))[dmu]*(t?)d?\s*$/.exec(probe.stdout ?? "");
    if (!match) continue;
    const minor = Number(match[2]);
    const version = match[1] + match[3];
    if (minor >= 6 && minor <= NEWEST_MINOR && !found.has(version))
      found.set(version, { path: candidate, version, minor });
  }
  return [...found.values()].sort((a, b) => a.minor - b.minor);
}
