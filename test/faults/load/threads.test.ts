import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileProfile, LineRow } from "../../../src/profile/model.ts";
import { readRunFolder } from "../../../src/profile/run/runFolder.ts";
import { requirement } from "../../support/requirement.ts";
import { record } from "../support/results.ts";
import { HELPER_BAR } from "./support/measuredHelper.ts";
import { PATIENCE, recordBytes, recordMs, underLoad } from "./support/program.ts";
import { type Stage, setStage } from "./support/stage.ts";

const PROCESSES = 16;
const THREADS = 64;
/** Bytes that each thread takes: mapped alone by the C library, so that nothing else shares its pages. */
const TAKES = 256 * 1024;
const LOAD = `${PROCESSES} processes of ${THREADS} threads`;
const TAKES_LINE = 8;
/** Bytes that a thread's first line touches besides: a page of its arena of the C library. */
const A_THREADS_OWN = 4096;
const PRINTED = `[${Array(PROCESSES).fill(0).join(", ")}]\n`;
const SCRIPT = `import multiprocessing
import threading

kept = []


def take(barrier):
    kept.append(bytearray(${TAKES}))
    barrier.wait()


def work():
    barrier = threading.Barrier(${THREADS})
    threads = [threading.Thread(target=take, args=(barrier,)) for _ in range(${THREADS})]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=work) for _ in range(${PROCESSES})]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    print([process.exitcode for process in processes])
`;

describe.skipIf(!requirement("python3", "/usr/bin/python3"))(LOAD, PATIENCE, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage();
    stage.scene.write({ "many.py": SCRIPT });
  });
  afterAll(() => stage.close());

  it.each([
    ["the accelerator", true, "accelerator"],
    ["pure Python", false, "pure"],
  ] as const)(
    "measured by %s have the figures that are known beforehand",
    async (name, accelerator, implementation) => {
      const load = `${LOAD}, ${name}`;
      const { host, helper } = stage;
      const { done: run, missed } = await underLoad(load, host, () =>
        host.profile("many.py", { accelerator, exact: true }),
      );
      expect(run.outcome).toBe("finished");
      const folder = run.folder ?? "";
      const supervised = await helper.supervised(basename(folder));
      const own = supervised.highest - supervised.interpreter;
      recordBytes(load, "helper on the board beyond its interpreter", own, HELPER_BAR);
      recordMs(load, "helper: CPU time of the whole run", supervised.cpu, 1_000);

      const profile = await readRunFolder(folder);
      expect(new Set(profile.run.processes.map((one) => one.implementation))).toEqual(new Set([implementation]));
      expect(profile.run.warnings).toEqual([]);
      const workers = [...profile.byProcess.values()].filter((files) => linesOf(files).has(TAKES_LINE));
      const wrong = workers.flatMap((files) => faultsOf(linesOf(files)));
      record({
        kind: "fault",
        group: "board",
        fault: load,
        trials: PROCESSES,
        lostProfiles: PROCESSES - workers.length,
        duplicatedOutput: Number(readFileSync(join(folder, "stdout.log"), "utf8") !== PRINTED),
        wrongLine: wrong.length,
      });
      expect(workers).toHaveLength(PROCESSES);
      expect(wrong).toEqual([]);
      expect(readFileSync(join(folder, "stdout.log"), "utf8")).toBe(PRINTED);
      expect(own).toBeLessThan(HELPER_BAR);
      expect(missed).toEqual([]);
    },
  );
});

function linesOf(files: readonly FileProfile[]): ReadonlyMap<number, LineRow> {
  return new Map(files.flatMap(({ lines }) => lines.map((row) => [row.line, row] as const)));
}

/** What is wrong with the figures of one process, in words. */
function faultsOf(lines: ReadonlyMap<number, LineRow>): string[] {
  const takes = lines.get(TAKES_LINE);
  const { hits = 0, self = 0, uncertain = 0 } = takes ?? {};
  const faults = hits === THREADS ? [] : [`line ${TAKES_LINE} has ${hits} hits`];
  if (Math.abs(self - THREADS * TAKES) > uncertain + THREADS * A_THREADS_OWN) {
    faults.push(`line ${TAKES_LINE} has self ${self}, ± ${uncertain}`);
  }
  for (const row of lines.values()) {
    // The stacks and the C library's arenas of the threads are taken where they start.
    // Beside them other threads run, what they take may stand here: as much is said to be uncertain.
    if (row.line !== TAKES_LINE && (row.self ?? 0) - (row.uncertain ?? 0) > (THREADS * TAKES) / 4) {
      faults.push(`line ${row.line} has self ${row.self}, ± ${row.uncertain ?? 0}`);
    }
  }
  return faults;
}
