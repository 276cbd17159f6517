// npm, twice where it fails: a server may let it wait for ever, and what was fetched before is in npm's own cache.
import { spawnSync } from "node:child_process";

const TRIES = 2;
/** Milliseconds of a try. */
const LONGEST = 8 * 60_000;

/**
 * Runs an npm command that installs; nothing that comes with a package is run.
 * @param {string[]} args
 * @param {import("node:child_process").SpawnSyncOptions} options
 * @returns {string | undefined} why it failed, undefined: it did not
 */
export function installByNpm(args, options) {
  let reason;
  for (let tried = 0; tried < TRIES; tried++) {
    const result = spawnSync("npm", [...args, "--ignore-scripts", "--no-audit", "--no-fund"], {
      encoding: "utf8",
      timeout: LONGEST,
      killSignal: "SIGKILL",
      shell: process.platform === "win32",
      ...options,
    });
    if (result.status === 0) return undefined;
    reason = result.error?.message ?? (result.stderr?.trim() || `it ended with ${result.status ?? result.signal}`);
  }
  return `npm ${args[0]} in ${options.cwd} failed: ${reason}`;
}
