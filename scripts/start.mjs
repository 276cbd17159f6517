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
  "Profiling examples/train_tiny.py on a simulated board: this computer, reached through a real SSH connection.\n",
);
const cli = path.join(root, "dist/cli.cjs");
const result = spawnSync(
  process.execPath,
  [cli, "profile", "examples/train_tiny.py", "--project", "examples", "--target", "loopback"],
  { cwd: root, stdio: "inherit" },
);
if (result.status === 0) {
  const runs = path.join(root, "examples/.jetson-memprof/runs");
  const newest = fs.readdirSync(runs).sort().at(-1);
  console.log(`
See it in VS Code:
  npm run workbench                              opens the examples in a browser-run VS Code with the extension
  npm run package, then code --install-extension installs it in your own; open the examples folder, view "Memory Runs"
In the terminal again:
  node dist/cli.cjs show ${path.relative(root, path.join(runs, newest ?? ""))}`);
}
process.exitCode = result.status ?? 1;
