// Runs a job's command in a process group of its own, its output in a file, and sees to it that nothing of it remains.
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { root } from "../setup.mjs";

const groups = new Set();

function endGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => {
    for (const pid of groups) endGroup(pid, "SIGTERM");
    process.exit(130);
  });
}

const LOOK_EVERY_MS = 1_000;

/**
 * Tells a job that hangs from one that is long, as all are on a busy machine: it has not written anything for a while.
 * @param {number} quiet in seconds
 * @returns {(size: number, now: number) => boolean} given the log's size in bytes and the time in seconds, whether it hangs
 */
export function hangWatch(quiet) {
  let last;
  return (size, now) => {
    if (last?.size !== size) last = { size, since: now };
    return now - last.since >= quiet;
  };
}

/**
 * @param {readonly string[]} command program and arguments
 * @param {{log: string, env?: Readonly<Record<string, string>>, quiet: number}} options `log` is appended to; a command
 *   that has not written to it for `quiet` seconds is killed with all it started
 * @returns {Promise<{status: number | null, signal: string | null, hung: boolean}>}
 */
export function runLogged([program, ...args], { log, env = {}, quiet }) {
  const output = fs.openSync(log, "a");
  const child = spawn(program, args, {
    cwd: root,
    stdio: ["ignore", output, output],
    detached: true,
    env: { ...process.env, ...env },
  });
  fs.closeSync(output);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    if (child.pid === undefined) return;
    groups.add(child.pid);
    let hung = false;
    const hangs = hangWatch(quiet);
    const timer = setInterval(() => {
      if (!hangs(fs.statSync(log).size, performance.now() / 1000)) return;
      clearInterval(timer);
      hung = true;
      endGroup(child.pid, "SIGKILL");
    }, LOOK_EVERY_MS);
    child.once("exit", (status, signal) => {
      clearInterval(timer);
      groups.delete(child.pid);
      resolve({ status, signal, hung });
    });
  });
}
