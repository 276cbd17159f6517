// `npm run test:stress [-- [--times N] [--busy N] PART|FILE …]`: the same tests again and again beside busy processes,
// and a table of what failed how often. Without a name: the parts that run real processes.
import { spawn } from "node:child_process";
import * as os from "node:os";
import * as path from "node:path";
import { findPythons, installNpmPackages, root } from "./setup.mjs";
import { plan } from "./testing/plan.mjs";
import { endedLine } from "./testing/report.mjs";
import { beginLogs, logs, readNames, runAll, setUp } from "./testing/session.mjs";
import { failuresByTest } from "./testing/stressTable.mjs";

function readArguments() {
  const words = process.argv.slice(2);
  const number = (flag, otherwise) => {
    const at = words.indexOf(flag);
    if (at < 0) return otherwise;
    const [, value] = words.splice(at, 2);
    if (!/^\d+$/.test(value ?? "")) {
      console.error(`${flag} wants a whole number.`);
      process.exit(2);
    }
    return Number(value);
  };
  const times = number("--times", 5);
  const busy = number("--busy", 2 * os.availableParallelism());
  const names = readNames(words);
  const none = names.parts.length + names.files.length === 0;
  return { times, busy, ...names, parts: none ? ["helper", "integration", "workbench"] : names.parts };
}

function keepBusy(count) {
  const children = Array.from({ length: count }, () =>
    spawn(
      process.execPath,
      [
        "-e",
        "process.on('disconnect', () => process.exit()); (function turn() { for (let i = 0; i < 1e8; i++); setImmediate(turn); })();",
      ],
      {
        stdio: ["ignore", "ignore", "ignore", "ipc"],
      },
    ),
  );
  const end = () => {
    for (const child of children) child.kill("SIGKILL");
  };
  process.once("exit", end);
  return end;
}

const { times, busy, parts, files } = readArguments();
installNpmPackages();
const pythons = findPythons();
const jobs = plan({ pythons, all: false, parts, files });
beginLogs();
setUp(jobs);
const endBusy = keepBusy(busy);
const rounds = [];
for (let round = 1; round <= times; round++) {
  console.log(`Round ${round} of ${times}, beside ${busy} busy processes`);
  rounds.push(
    await runAll(jobs, pythons, (outcome, failures) => console.log([endedLine(outcome), ...failures].join("\n"))),
  );
}
endBusy();
const lines = failuresByTest(rounds);
console.log(["", ...lines, `Logs: ${path.relative(root, logs)}`].join("\n"));
process.exitCode = lines.length > 1 ? 1 : 0;
