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

/**
 * @param {readonly string[]} command program and arguments
 * @param {{log: string, env?: Readonly<Record<string, string>>, deadline: number}} options `log` is appended to;
 *   `deadline` in seconds, after which a command that hangs is killed with all it started
 * @returns {Promise<{status: number | null, signal: string | null, hung: boolean}>}
 */
export function runLogged([program, ...args], { log, env = {}, deadline }) {
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
    const timer = setTimeout(() => {
      hung = true;
      endGroup(child.pid, "SIGKILL");
    }, deadline * 1000);
    child.once("exit", (status, signal) => {
      clearTimeout(timer);
      groups.delete(child.pid);
      resolve({ status, signal, hung });
    });
  });
}
