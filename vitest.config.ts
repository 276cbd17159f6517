import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["src/**/*.test.ts", "webview/**/*.test.ts"], testTimeout: 20_000 } },
      {
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Real servers and real processes on a small machine: one file at a time.
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "workbench",
          include: ["test/workbench/**/*.test.ts"],
          globalSetup: ["test/workbench/support/globalSetup.mjs"],
          // One VS Code server and one browser at a time.
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
