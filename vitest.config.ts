import { configDefaults, defineConfig } from "vitest/config";
import { inFull } from "./test/support/inFull.ts";

/** Of `expect.poll`: vitest's own second is short for a process or a page on a busy machine. */
const expect = { poll: { timeout: 20_000 } };

/** Stories whose parts other tests look at, each on its own: a window costs ten seconds of the processor. */
const LEFT_TO_ALL = ["chinese", "compareMassif", "keyboard", "lenet", "model", "sweep"];

// These time-outs only end what hangs: no test asks how long something takes.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "src/**/*.test.ts",
            "webview/**/*.test.ts",
            "bench/**/*.test.ts",
            "scripts/**/*.test.ts",
            "scripts/**/*.test.mjs",
          ],
          expect,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Starting each of the files in a process of its own takes as long as running them.
          pool: "forks",
          isolate: false,
        },
      },
      {
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          globalSetup: ["test/support/programsFolder.mjs"],
          expect,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "faults",
          include: ["test/faults/**/*.test.ts"],
          globalSetup: ["test/support/programsFolder.mjs"],
          expect,
          // The long form tries some things a thousand times.
          testTimeout: process.env["JETSON_MEMPROF_FAULTS"] === "long" ? 3_600_000 : 120_000,
          hookTimeout: 120_000,
          // They wait more than they compute.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "workbench",
          include: ["test/workbench/**/*.test.ts"],
          exclude: [
            ...configDefaults.exclude,
            ...(inFull ? [] : LEFT_TO_ALL).map((name) => `test/workbench/stories/${name}.test.ts`),
          ],
          globalSetup: ["test/workbench/support/globalSetup.mjs"],
          // A look at the page costs it, and a run takes seconds.
          expect: { poll: { timeout: 60_000, interval: 250 } },
          // Each has a VS Code server and a browser.
          maxWorkers: 2,
          // Files import the same, which takes a second of the processor for each in a process of its own.
          isolate: false,
          // A test waits for several things, each a minute at most.
          testTimeout: 300_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
