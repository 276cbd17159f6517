/** A helper to which faults can be done from outside: a full disk, a clock that is set (helper_faults.py). */
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { HELPER, REPOSITORY } from "../../support/scene.ts";

export interface HelperFaults {
  /** To be used in the place of the helper's folder. */
  readonly helperFolder: string;
  /**
   * Files whose path fits take so many bytes more, all together and in each process, then the disk is full, or takes no
   * more for another reason.
   */
  fill(files: RegExp, after: number, errno?: number): void;
  /** There is room again. */
  makeRoom(): void;
  /** Adds to the board's wall clock from now on; seconds. */
  setClock(seconds: number): void;
  /** Paths of the files that a write was refused to, each as often as it was. */
  refused(): readonly string[];
  /** No fault any more. */
  reset(): void;
}

/** `folder` is made; the faults reach what this process starts. */
export function makeHelperFaults(folder: string): HelperFaults {
  const helperFolder = join(folder, "helper");
  const parts = ["bootstrap.py", "board.py", "jetson_memprof", "boot", "accel"];
  for (const part of parts) cpSync(join(HELPER, part), join(helperFolder, part), { recursive: true });
  cpSync(
    join(REPOSITORY, "test/faults/support/helper_faults.py"),
    join(helperFolder, "jetson_memprof/helper_faults.py"),
  );
  // Whatever the helper does begins with one of these; the second is in the script's own process.
  for (const first of ["jetson_memprof/board/errors.py", "jetson_memprof/engine/launch.py"]) {
    appendFileSync(join(helperFolder, first), "\nfrom .. import helper_faults\n");
  }
  let control = "";
  let resets = 0;
  // A folder of its own each time: what is just ending keeps to the one that it was started with.
  const reset = (): void => {
    control = join(folder, `faults-${resets++}`);
    mkdirSync(control);
    process.env["JMP_TEST_FAULTS"] = control;
  };
  reset();
  return {
    helperFolder,
    fill: (files, after, errno = constants.errno.ENOSPC) =>
      writeFileSync(join(control, "full.json"), JSON.stringify({ files: files.source, after, errno })),
    makeRoom: () => writeFileSync(join(control, "space"), ""),
    setClock(seconds) {
      // Renamed: who reads the time meanwhile must not find an empty file.
      writeFileSync(join(control, "clock.new"), String(seconds));
      renameSync(join(control, "clock.new"), join(control, "clock"));
    },
    refused() {
      const noted = join(control, "refused");
      return existsSync(noted) ? readFileSync(noted, "utf8").split("\n").slice(0, -1) : [];
    },
    reset,
  };
}
