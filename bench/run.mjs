// The frame of the benchmarks (support/frame.ts), bundled and run. See README.md.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundlePrograms } from "../scripts/bundleProgram.mjs";

const folder = mkdtempSync(join(tmpdir(), "jmp-bench-"));
try {
  await bundlePrograms({ frame: "bench/support/frame.ts" }, folder);
  const { status } = spawnSync(process.execPath, [join(folder, "frame.cjs"), ...process.argv.slice(2)], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
