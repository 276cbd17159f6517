import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, expect, test } from "vitest";
import { hangWatch, runLogged } from "./processes.mjs";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "processes-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const run = (program, quiet) =>
  runLogged([process.execPath, "-e", program], { log: path.join(folder, "log"), quiet, env: {} });

test("what goes on writing does not hang, however long it takes", () => {
  const hangs = hangWatch(10);
  for (let time = 0; time < 10_000; time += 9) expect(hangs(time, time)).toBe(false);
});

test("what has written nothing for a while hangs, though it wrote before", () => {
  const hangs = hangWatch(10);
  expect([hangs(0, 0), hangs(5, 9), hangs(5, 18), hangs(5, 19)]).toEqual([false, false, false, true]);
});

test("a command that says nothing is killed with what it started", async () => {
  const started = path.join(folder, "pid");
  const program = `const child = require("node:child_process").spawn("sleep", ["1000"]);
    require("node:fs").writeFileSync(${JSON.stringify(started)}, String(child.pid)); setInterval(() => {}, 1000);`;
  // It may be killed before it has started anything: then it is asked once more.
  for (let quiet = 1; !fs.existsSync(started); quiet *= 2)
    expect(await run(program, quiet)).toEqual({ status: null, signal: "SIGKILL", hung: true, processor: 0 });
  const pid = Number(fs.readFileSync(started, "utf8"));
  await expect.poll(() => /State:\s+[^Z]/.test(status(pid))).toBe(false);
});

test("how a command ended is told", async () => {
  expect(await run("process.exit(3)", 600)).toMatchObject({ status: 3, signal: null, hung: false });
});

test("what a command and those it waited for took of the processor is told", async () => {
  const busy = "while (process.cpuUsage().user < 300_000);";
  const program = `require("node:child_process").execFileSync(process.execPath, ["-e", "${busy}"]); ${busy}`;
  expect((await run(program, 600)).processor).toBeGreaterThanOrEqual(0.6);
});

function status(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
