/**
 * Makes the environments of peers that are missing or were made from other versions than peers.json asks for:
 * `node bench/peers/setup.mjs [NAME ...]`, all where none is named. Ends with 0 when each environment is there, even if
 * one of its peers could not be installed: that one is told, and kept as absent with the reason.
 */
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { contentsFileOf, environmentOf, environments, madeOf, wantedOf } from "./peers.mjs";

/** @returns {Promise<import("./peers.mjs").Made>} what is in it, and what could not be put there */
const makers = {
  async python({ pythons, systemPackages, peers }, folder) {
    const found = pythons.map(interpreter).find((path) => path !== undefined);
    if (found === undefined) throw new Error(`no Python ${pythons.join(", ")} was found`);
    must(found, ["-m", "venv", ...(systemPackages ? ["--system-site-packages"] : []), folder]);
    const python = join(folder, "bin/python");
    const made = { versions: { python: lastLine(must(python, ["-V"])).replace("Python ", "") }, absent: {} };
    for (const [peer, packages] of Object.entries(peers)) {
      try {
        // Each list is complete: what a package asks for beyond it is not wanted (PyTorch of PyPI beside Debian's).
        if (packages.length > 0) must(python, ["-m", "pip", "install", "--no-deps", "--prefer-binary", ...packages]);
        const version = `from importlib import metadata; import ${peer}; print(metadata.version("${peer}"))`;
        made.versions[peer] = lastLine(must(python, ["-c", version]));
      } catch (error) {
        made.absent[peer] = error.message;
      }
    }
    return made;
  },

  async npm({ packages }, folder) {
    mkdirSync(folder, { recursive: true });
    for (const file of ["package.json", "package-lock.json"])
      writeFileSync(join(folder, file), readFileSync(new URL(`node/${file}`, import.meta.url)));
    must("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder);
    const versionOf = (name) =>
      JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version;
    return { versions: Object.fromEntries(packages.map((name) => [name, versionOf(name)])), absent: {} };
  },

  /** A program of Debian's that is unpacked here instead of installed; its version is Debian's newest. */
  async debian({ packages, program }, folder) {
    mkdirSync(join(folder, "bin"), { recursive: true });
    must("apt-get", ["download", ...packages], folder);
    const files = readdirSync(folder).filter((file) => file.endsWith(".deb"));
    for (const file of files) must("dpkg-deb", ["-x", file, "."], folder);
    const name = packages[0];
    const libraries = readdirSync(join(folder, "usr/lib")).map((each) => join(folder, "usr/lib", each));
    const start = `#!/bin/sh\nLD_LIBRARY_PATH='${libraries.join(":")}' exec '${join(folder, program)}' "$@"\n`;
    writeFileSync(join(folder, "bin", name), start, { mode: 0o755 });
    const file = files.find((each) => each.startsWith(`${name}_`));
    return { versions: { [name]: lastLine(must("dpkg-deb", ["-f", file, "Version"], folder)) }, absent: {} };
  },

  async module({ module }, folder) {
    const { make } = await import(new URL(module, import.meta.url).href);
    return await make(folder);
  },
};

/**
 * Makes what is missing of these; one process at a time, others wait.
 * @throws Error where an environment could not be made at all
 */
export async function setUp(names) {
  for (const name of names) {
    if (madeOf(name) !== undefined) continue;
    await withLock(async () => {
      if (madeOf(name) !== undefined) return;
      const folder = environmentOf(name);
      rmSync(folder, { recursive: true, force: true });
      console.error(`Making the peers' environment ${name} …`);
      const wanted = environments()[name];
      const made = await makers[wanted.kind](wanted, folder);
      writeFileSync(contentsFileOf(name), `${JSON.stringify({ ...made, wanted: wantedOf(name) }, undefined, 2)}\n`);
      for (const [peer, why] of Object.entries(made.absent)) console.error(`${name}: without ${peer}: ${why}`);
    });
  }
}

/** @param wanted a version (3.12), looked for among pyenv's and on PATH, or the path of an interpreter */
function interpreter(wanted) {
  const pyenv = join(process.env.PYENV_ROOT ?? join(homedir(), ".pyenv"), "versions");
  const named = (folder) => folder.startsWith(`${wanted}.`);
  const inPyenv = spawnSync("ls", [pyenv], { encoding: "utf8" }).stdout.split("\n").filter(named).sort().reverse();
  const candidates = wanted.startsWith("/")
    ? [wanted]
    : [...inPyenv.map((folder) => join(pyenv, folder, "bin/python")), `python${wanted}`];
  return candidates.find((each) => spawnSync(each, ["-c", "import venv, ensurepip"]).status === 0);
}

/** @throws Error with the last line that the command wrote */
function must(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: 2 ** 26 });
  if (error !== undefined) throw error;
  if (status !== 0)
    throw new Error(lastLine(errorLines(stderr) || stderr || stdout) || `${command} ended with ${status}`);
  return stdout;
}

/** pip ends with hints; what went wrong is in the lines that say ERROR. */
function errorLines(text) {
  return text
    .split("\n")
    .filter((line) => /^(ERROR|error|E):/.test(line))
    .join("\n");
}

function lastLine(text) {
  return text.trim().split("\n").at(-1).trim();
}

async function withLock(work) {
  const root = environmentOf("");
  mkdirSync(root, { recursive: true });
  const lock = join(root, "lock");
  for (;;) {
    try {
      const file = openSync(lock, "wx");
      writeSync(file, String(process.pid));
      closeSync(file);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      if (!isAlive(lock)) rmSync(lock, { force: true });
      await delay(200);
    }
  }
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Of the process that holds the lock; one that has not written its number yet counts as alive. */
function isAlive(lock) {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== "ESRCH" && error.code !== "ENOENT";
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const known = Object.keys(environments());
  const names = process.argv.slice(2);
  const strangers = names.filter((name) => !known.includes(name));
  if (strangers.length > 0) {
    console.error(`There is no environment ${strangers.join(", ")}. There are: ${known.join(", ")}.`);
    process.exit(2);
  }
  let failed = false;
  for (const name of names.length > 0 ? names : known) {
    try {
      await setUp([name]);
      console.log(
        `${name}: ${Object.entries(madeOf(name).versions)
          .map((each) => each.join(" "))
          .join(", ")}`,
      );
    } catch (error) {
      failed = true;
      console.error(`${name} could not be made: ${error.message}`);
    }
  }
  process.exitCode = failed ? 1 : 0;
}
