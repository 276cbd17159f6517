// JavaScript, as server.mjs needs it and is also run by Node itself.
import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

const GIVE_UP_MS = 20_000;
/** What a process that still writes there brings about. */
const PASSING = new Set(["ENOTEMPTY", "EBUSY", "ENOENT"]);

/** See removeFolder.d.mts. */
export async function removeFolder(folder) {
  const end = Date.now() + GIVE_UP_MS;
  for (;;) {
    try {
      // Its own `maxRetries` would not do: they never list the folder again.
      await rm(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (!PASSING.has(error.code) || Date.now() > end) throw error;
      await delay(50);
    }
  }
}
