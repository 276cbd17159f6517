/** A real OpenSSH server on 127.0.0.1 and an ssh configuration that reaches it, all in one temporary folder. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { descendantsOf, killAll } from "./processes.ts";
import { removeFolder } from "./removeFolder.mjs";

export const SSHD = "/usr/sbin/sshd";

export interface TestHome {
  readonly folder: string;
  path(name: string): string;
  /** `ssh -G` answers from this text from now on. */
  configure(text: string): void;
  /** Makes a key pair and gives the private key's path. */
  key(name: string, passphrase?: string): string;
  knownHosts(): string;
  remove(): Promise<void>;
}

/** A folder for keys and configuration; `ssh` on PATH reads that configuration and nothing of the user's own. */
export function makeTestHome(): TestHome {
  const folder = mkdtempSync(join(tmpdir(), "jmp-ssh-"));
  const path = (name: string): string => join(folder, name);
  const savedPath = process.env["PATH"];
  mkdirSync(path("bin"));
  writeFileSync(path("config"), "");
  writeFileSync(path("bin/ssh"), `#!/bin/sh\nexec /usr/bin/ssh -F '${path("config")}' "$@"\n`);
  chmodSync(path("bin/ssh"), 0o755);
  process.env["PATH"] = `${path("bin")}:${savedPath}`;
  return {
    folder,
    path,
    configure: (text) =>
      writeFileSync(path("config"), `${text}\nHost *\n  UserKnownHostsFile ${path("known_hosts")}\n`),
    key(name, passphrase = "") {
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-C", name, "-f", path(name)]);
      return path(name);
    },
    knownHosts: () => (existsSync(path("known_hosts")) ? readFileSync(path("known_hosts"), "utf8") : ""),
    async remove() {
      process.env["PATH"] = savedPath;
      await removeFolder(folder);
    },
  };
}

export interface Sshd {
  readonly port: number;
  /** The public host key as known_hosts has it: type and base64. */
  readonly hostKey: string;
  stop(): Promise<void>;
  /** As where its power fails: what it started ends too. */
  kill(): Promise<void>;
  /** Listens anew. */
  again(): Promise<void>;
}

export interface SshdOptions {
  /** More lines of its configuration. */
  readonly settings?: readonly string[];
  /** What the shell finds in its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * The shell has the test's home folder, not that of the person whose machine it is: nobody's start-up files.
 * @param authorized the private key paths whose public halves are let in
 */
export async function startSshd(
  home: TestHome,
  name: string,
  authorized: readonly string[],
  { settings = [], env = {} }: SshdOptions = {},
): Promise<Sshd> {
  // Where root starts it, sshd insists on this folder.
  if (userInfo().uid === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  const hostKey = home.key(`${name}-host`);
  const port = await freePort();
  writeFileSync(home.path(`${name}-keys`), authorized.map((key) => readFileSync(`${key}.pub`, "utf8")).join(""));
  writeFileSync(
    home.path(`${name}-config`),
    [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${hostKey}`,
      `AuthorizedKeysFile ${home.path(`${name}-keys`)}`,
      "PidFile none",
      "StrictModes no",
      "UsePAM no",
      "PermitRootLogin yes",
      "PasswordAuthentication no",
      "KbdInteractiveAuthentication no",
      "AllowTcpForwarding yes",
      "MaxAuthTries 20",
      "LogLevel ERROR",
      `SetEnv ${Object.entries({ HOME: home.folder, ...env })
        .map(([variable, value]) => `${variable}=${value}`)
        .join(" ")}`,
      ...settings,
    ].join("\n"),
  );
  const listen = async (): Promise<ChildProcess> => {
    const child = spawn(SSHD, ["-D", "-e", "-f", home.path(`${name}-config`)], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += String(chunk);
    });
    await answering(port, child, () => said);
    return child;
  };
  let child = await listen();
  const [type, blob] = readFileSync(`${hostKey}.pub`, "utf8").split(" ");
  return {
    port,
    hostKey: `${type} ${blob}`,
    stop: () => stop(child),
    async kill() {
      const started = child.pid === undefined ? [] : descendantsOf(child.pid);
      await stop(child);
      killAll(started);
    },
    async again() {
      child = await listen();
    },
  };
}

/** Below those that the kernel gives out by itself, so that no connection gets it before it is listened at. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const server = createServer();
    const listening = once(server, "listening");
    server.listen(port, "127.0.0.1");
    try {
      await listening;
    } catch {
      continue;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}

async function answering(port: number, child: ChildProcess, said: () => string): Promise<void> {
  for (let attempt = 0; attempt < 1200; attempt++) {
    if (hasEnded(child)) throw new Error(`sshd ended: ${said()}`);
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      });
      socket.on("error", () => resolve(false));
    });
    if (open) return;
    await delay(25);
  }
  throw new Error(`sshd does not listen: ${said()}`);
}

/** Of a process that a signal ended, the exit code stays null. */
function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
