// `npm start`: the main job on a simulated board. Profiles an example over a real SSH connection to this computer.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { installNpmPackages, root, run } from "./setup.mjs";

installNpmPackages();
run(process.execPath, ["scripts/build.mjs"], { stdio: ["ignore", "ignore", "inherit"] });
if (spawnSync("gcc", ["--version"], { stdio: "ignore" }).status === 0) {
  run(process.execPath, ["scripts/build-accel.mjs"], { stdio: ["ignore", "ignore", "inherit"] });
}

console.log(
  "Profiling examples/train_tiny.py on a simulated board: this computer, reached\nthrough a real SSH connection.\n",
);
const cli = path.join(root, "dist/cli.cjs");
const result = spawnSync(
  process.execPath,
  [cli, "profile", "examples/train_tiny.py", "--project", "examples", "--target", "loopback", "--json"],
  { cwd: root, stdio: ["inherit", "ignore", "inherit"] },
);
if (result.status === 0) {
  const runs = path.join(root, "examples/.jetson-memprof/runs");
  const newest = path.join(runs, fs.readdirSync(runs).sort().at(-1) ?? "");
  console.log("\nThe five lines that took the most memory themselves:\n");
  run(process.execPath, [cli, "show", newest, "--top", "5"], { stdio: "inherit" });
  console.log(`
Every line's figures:
  node dist/cli.cjs show last --project examples
Beside the lines, in a VS Code that runs in the browser:
  npm run workbench
In your own VS Code (then open the folder examples, view "Memory Runs"):
  npm run package
  code --install-extension dist/jetson-memory-profiler-*.vsix`);
}
process.exitCode = result.status ?? 1;
