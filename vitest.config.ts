import { defineConfig } from "vitest/config";

/** Of `expect.poll`; vitest's own second is short for a process or a page on a busy machine. */
const poll = { timeout: 20_000 };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "webview/**/*.test.ts", "bench/**/*.test.ts", "scripts/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "integration",
          expect: { poll },
          include: ["test/integration/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Real servers and real processes on a small machine: one file at a time.
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "faults",
          expect: { poll },
          include: ["test/faults/**/*.test.ts"],
          // The long form tries some things a thousand times.
          testTimeout: process.env["JETSON_MEMPROF_FAULTS"] === "long" ? 3_600_000 : 120_000,
          hookTimeout: 120_000,
          // Real processes whose memory and waiting are measured: one file at a time.
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "workbench",
          expect: { poll: { timeout: 60_000 } },
          include: ["test/workbench/**/*.test.ts"],
          globalSetup: ["test/workbench/support/globalSetup.mjs"],
          // One VS Code server and one browser at a time.
          fileParallelism: false,
          // A test waits for several things, each a minute at most.
          testTimeout: 300_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
