/** Processes of this machine, for tests that see to it that none is left. */
import { readdirSync, readFileSync } from "node:fs";

/** Pids of processes whose command line names the text. */
export function processesNaming(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}
