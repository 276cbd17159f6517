/**
 * Two sides on one machine: projects here, a real OpenSSH server as the board, a link of a chosen round trip between
 * them, and the contestants that go over it. All of them use the same key, the same algorithms and the same Python.
 */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { bundlePrograms } from "../../scripts/bundleProgram.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** What everybody's login agrees on; nobody compresses. */
const LOGIN = [
  "HostKeyAlgorithms ssh-ed25519",
  "KexAlgorithms curve25519-sha256",
  "Ciphers aes128-gcm@openssh.com",
  "Compression no",
  "IdentitiesOnly yes",
  "StrictHostKeyChecking yes",
];
export const PYTHON = "/usr/bin/python3";
/** The whole of the script: it says when its first line was executed, and by what. */
const SCRIPT = `import time; first = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
import os, sys
with open(os.environ.get("BENCH_STAMP") or sys.argv[1], "w") as stamp:
    stamp.write("%d %s" % (first, sys.executable))
`;

/**
 * @typedef {{ readonly clicked: bigint, readonly synced: bigint, readonly sentFiles: number }} Profiled
 * @typedef {Awaited<ReturnType<typeof makeScene>>} Scene
 */
export async function makeScene() {
  const top = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-bench-remote-"));
  const entries = ["client", "link", "parts"].map((name) => [name, `bench/remote/${name}.ts`]);
  await bundlePrograms(Object.fromEntries(entries), top);
  const { makeTestHome, SSHD, startSshd } = createRequire(import.meta.url)(path.join(top, "parts.cjs"));
  if (!fs.existsSync(SSHD)) {
    fs.rmSync(top, { recursive: true });
    throw new Error(`there is no OpenSSH server at ${SSHD} (package openssh-server)`);
  }
  const home = makeTestHome();
  const key = home.key("id");
  const sshd = await startSshd(home, "board", [key]);
  const link = fork(path.join(top, "link.cjs"), [String(sshd.port)]);
  const { port } = await answerOf(link);
  fs.writeFileSync(home.path("known_hosts"), `[127.0.0.1]:${port} ${sshd.hostKey}\n`);
  const host = ["HostName 127.0.0.1", `Port ${port}`, `IdentityFile ${key}`, ...LOGIN];
  home.configure(["Host board", ...host.map((line) => `  ${line}`)].join("\n"));
  const stamp = path.join(top, "stamp");
  const board = path.join(top, "board");
  const copies = path.join(top, "copies");
  fs.mkdirSync(copies);
  const client = fork(path.join(top, "client.cjs"));

  return {
    top,
    stamp,
    board,
    copies,
    config: home.path("config"),
    /** @param {number} ms */
    async roundTrip(ms) {
      link.send(ms);
      await answerOf(link);
    },
    /**
     * Runs main.py of a project with the extension's own code, to the end.
     * @param {string} project
     * @returns {Promise<Profiled>}
     */
    async profile(project) {
      const runs = path.join(top, "runs");
      client.send({ request: request(project, board, runs, stamp), helperFolder: path.join(root, "python-helper") });
      const report = await answerOf(client);
      fs.rmSync(runs, { recursive: true, force: true });
      if (report.outcome !== "finished") throw new Error(report.outcome);
      return { ...report, clicked: BigInt(report.clicked), synced: BigInt(report.synced) };
    },
    /**
     * Runs a command line of a peer to its end.
     * @param {string} command
     */
    async shell(command) {
      const clicked = process.hrtime.bigint();
      const child = spawn("sh", ["-c", command], { stdio: ["ignore", "ignore", "pipe"] });
      let said = "";
      child.stderr.on("data", (chunk) => {
        said += chunk;
      });
      const [code] = await once(child, "close");
      if (code !== 0) throw new Error(`exit code ${code}: ${said.trim().slice(-500)}`);
      return { clicked, ended: process.hrtime.bigint() };
    },
    /**
     * When the script's first line was executed, in ms after `clicked`. Throws where it was not, or by another Python.
     * @param {bigint} clicked
     */
    firstLine(clicked) {
      const [at, executable] = fs.readFileSync(stamp, "utf8").split(" ");
      fs.rmSync(stamp);
      if (fs.realpathSync(executable) !== fs.realpathSync(PYTHON)) throw new Error(`${executable} ran the script`);
      return Number(BigInt(at) - clicked) / 1e6;
    },
    async close() {
      client.kill();
      link.kill();
      await sshd.stop();
      await home.remove();
      fs.rmSync(top, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** What a child of ours says next; throws where it ends instead. */
async function answerOf(child) {
  const over = new AbortController();
  const { signal } = over;
  try {
    return await Promise.race([
      once(child, "message", { signal }).then(([message]) => message),
      once(child, "exit", { signal }).then(([code]) => {
        throw new Error(`${child.spawnargs[1]} ended with ${code}`);
      }),
    ]);
  } finally {
    over.abort();
  }
}

function request(project, boardFolder, runsFolder, stamp) {
  return {
    target: { kind: "ssh", host: "board" },
    projectFolder: project,
    entry: { kind: "script", path: "main.py" },
    args: [],
    engine: "line",
    exact: false,
    accelerator: true,
    environment: { BENCH_STAMP: stamp },
    excludes: [],
    python: PYTHON,
    boardFolder,
    runsFolder,
    outputLimit: 1 << 20,
    momentsIntervalMs: 1000,
  };
}

/**
 * A project of so many files of 400 to 4,000 bytes, a hundred in a folder, and the script.
 * @param {Scene} scene
 * @param {number} files
 */
export function makeProject({ top }, files) {
  const folder = path.join(top, "projects", `p${files}`);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "main.py"), SCRIPT);
  for (let n = 1; n < files; n++) {
    const file = path.join(folder, moduleOf(n));
    if (n === 1 || n % 100 === 0) fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `value_${n} = ${n * 7919}  # one of many\n`.repeat(10 + ((n * 37) % 90)));
  }
  return folder;
}

/** Where the n-th file of a project lies, from 1. */
export function moduleOf(n) {
  return `part_${Math.floor(n / 100)}/module_${n}.py`;
}
