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

/** Runs what follows its first argument, and leaves what that and all it waited for took of the processors there. */
const TIMED = ["bash", "-c", '{ time "$@" 2>&3; } 3>&2 2>"$0"'];

/**
 * @param {readonly string[]} command program and arguments
 * @param {{log: string, env?: Readonly<Record<string, string>>, quiet: number}} options `log` is appended to; a command
 *   that has not written to it for `quiet` seconds is killed with all it started
 * @returns {Promise<{status: number | null, signal: string | null, hung: boolean, processor: number}>} `processor`: seconds
 *   of it, less what goes on when its parent has ended; 0 where it was killed
 */
export function runLogged(command, { log, env = {}, quiet }) {
  const times = `${log}.times`;
  const [program, ...args] = [...TIMED, times, ...command];
  const output = fs.openSync(log, "a");
  const child = spawn(program, args, {
    cwd: root,
    stdio: ["ignore", output, output],
    detached: true,
    env: { ...process.env, ...env, TIMEFORMAT: "%U %S" },
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
      resolve({ status, signal, hung, processor: takeTimes(times) });
    });
  });
}

function takeTimes(file) {
  const [user, system] = fs.readFileSync(file, "utf8").split(" ").map(Number);
  fs.rmSync(file);
  return system === undefined ? 0 : user + system;
}
