/** The helper with a few lines before its entry point, which note what a run's supervisor took of memory and time. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { HELPER } from "../../../support/scene.ts";

export interface Supervised {
  /** Bytes of RSS: of the interpreter before any code of the helper ran, and the highest of all. */
  readonly interpreter: number;
  readonly highest: number;
  /** CPU time, ms. */
  readonly cpu: number;
}

export interface MeasuredHelper {
  /** To be sent to the board. */
  readonly folder: string;
  /** What the supervisor of a run came to, by the run's name. */
  supervised(run: string): Promise<Supervised>;
}

/** Bytes: 16 MiB, which the issue allows the helper on the board beside its tables. */
export const HELPER_BAR = 16 * 2 ** 20;

const NOTING = (folder: string): string => `import atexit, json, os, resource, sys


def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(name + ":"))


def tell(pid, interpreter):
    if pid != os.getpid():
        return  # forked since
    spent = resource.getrusage(resource.RUSAGE_SELF)
    # The first descriptor is the lock in the run's folder.
    run = os.path.basename(os.path.dirname(os.readlink("/proc/self/fd/" + sys.argv[2])))
    path = os.path.join(${JSON.stringify(folder)}, run + ".report")
    with open(path + ".new", "w") as file:
        json.dump({"interpreter": interpreter, "highest": status("VmHWM"),
                   "cpu": 1000 * (spent.ru_utime + spent.ru_stime)}, file)
    os.rename(path + ".new", path)


if sys.argv[1:2] == ["supervise"]:
    atexit.register(tell, os.getpid(), status("VmRSS"))

`;

/** A copy below `folder`, which must not be there yet. */
export function measuredHelper(folder: string): MeasuredHelper {
  cpSync(HELPER, folder, { recursive: true });
  const entry = join(folder, "board.py");
  writeFileSync(entry, NOTING(folder) + readFileSync(entry, "utf8"));
  return {
    folder,
    async supervised(run) {
      const read = () => JSON.parse(readFileSync(join(folder, `${run}.report`), "utf8")) as Supervised;
      // It tells the run's end a moment before its own.
      await expect.poll(read, { timeout: 60_000, interval: 20 }).toBeDefined();
      return read();
    },
  };
}
