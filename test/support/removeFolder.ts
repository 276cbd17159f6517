import { rmSync } from "node:fs";

/** Removes a folder in which a process that is just ending may still write: `rmSync`'s own tries do not look for new files. */
export function removeFolder(folder: string): void {
  const until = Date.now() + 30_000;
  for (;;) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY" || Date.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
}
