/** What PyTorch wrote: damaged by seed, and made to execute, hang or fill a memory of which there is not much. */
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundlePrograms } from "../../../scripts/bundleProgram.mjs";
import { inFull } from "../../support/inFull.ts";
import { fuzzEach } from "./driver.ts";
import { readers } from "./readers/torch.ts";

fuzzEach(new URL("./readers/torch.ts", import.meta.url), readers);

/** MiB of JavaScript heap; LIMITS.memory is below it. */
const HEAP = 1024;

interface Tally {
  readonly read: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
  readonly slowestSmallMs: number;
  readonly slowestMs: number;
  readonly rssMib: number;
}

describe("thousands of damaged and hostile snapshots", () => {
  let folder: string;
  let program: string;
  beforeAll(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "hostile-snapshots-"));
    await bundlePrograms({ hostile: "test/faults/fuzz/hostileSnapshots.ts" }, folder);
    program = path.join(folder, "hostile.cjs");
  });
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  // A minute of the processor, and what is random in them is above too.
  it.runIf(inFull)(
    "are read or refused with a reason for people, in little time and a bounded heap",
    {
      timeout: 900_000,
    },
    async () => {
      // It would end with another status where the heap did not suffice.
      const { stdout } = await promisify(execFile)(process.execPath, [`--max-old-space-size=${HEAP}`, program]);
      const tally = JSON.parse(stdout) as Tally;
      expect(tally.faults).toEqual([]);
      const refused = Object.values(tally.refused).reduce((sum, count) => sum + count, 0);
      expect(tally.read + refused).toBeGreaterThan(7_000);
      expect(tally.read).toBeGreaterThan(50);
      expect(Object.keys(tally.refused).sort()).toEqual([
        "pickle-damaged",
        "pickle-foreign",
        "pickle-refused",
        "pickle-too-large",
        "snapshot-damaged",
        "snapshot-foreign",
      ]);
      // CPU time, most of it for inputs of 24 to 64 MiB; a few KB take some milliseconds.
      expect(tally.slowestSmallMs).toBeLessThan(1_000);
      expect(tally.slowestMs).toBeLessThan(30_000);
      expect(tally.rssMib).toBeLessThan(2 * HEAP);
    },
  );
});
