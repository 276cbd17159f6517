/**
 * Records a run of 50 files with 2,000 measured lines, starts `jetson-memprof mcp` as an agent does, and asks for the lines
 * that took the most: by the clock from the start of the process to its first answer, and of the answers that follow; then
 * the same for ten times as many lines. `--out FILE` takes the rows as bench/README.md says. `--check` fails where the
 * first answer takes longer than the bar in the best process. `--rounds N` counts the processes, `--quick` are two of them
 * and the small run.
 */
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { bundlePrograms } from "../../scripts/bundleProgram.mjs";
import { CHECK, readOptions } from "../support/options.mjs";
import { version, writeRows } from "../support/result.mjs";

const BAR_MS = 300;
const FILES = 50;
const SIZES = [2_000, 20_000];
/** Answers that follow the first. */
const MORE = 5;
const ID = "20260105-080000-train-0001";

const { options, names } = readOptions({ ...CHECK, rounds: { type: "string", default: "5" } });

function writeRun(project, lines) {
  const folder = path.join(project, ".jetson-memprof/runs", ID);
  fs.mkdirSync(path.join(folder, "sources/package"), { recursive: true });
  const records = [{ schema: 1, record: "header", run: ID }];
  const rows = [];
  const files = [];
  for (let file = 0; file < FILES; file++) {
    const name = `package/module_${file}.py`;
    const source = Array.from(
      { length: lines / FILES },
      (_, at) => `value_${at} = compute_${file}(value, size=${at})\n`,
    );
    fs.writeFileSync(path.join(folder, "sources", name), source.join(""));
    files.push({ path: name, sha256: "", source: `sources/${name}` });
    records.push({ record: "file", file, path: name, sha256: "", lines: source.length, functions: [] });
    for (const at of source.keys()) {
      const net = ((at * 7919 + file) % 1000) * 1024;
      rows.push([file, at + 1, 1, net, net, net, net, 500 << 20, 0]);
    }
  }
  for (let at = 0; at < rows.length; at += 200)
    records.push({ record: "rows", t: at, pid: 10, rows: rows.slice(at, at + 200) });
  records.push({ record: "end", t: lines });
  fs.writeFileSync(path.join(folder, "lines.jsonl"), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  const run = {
    schema: 1,
    id: ID,
    state: "finished",
    engine: { name: "line", exact: false, peak: true, accelerator: true },
    command: { python: "python3", script: "package/module_0.py", args: [] },
    exit: { kind: "exited", code: 0 },
    elapsed_ms: 1000,
    processes: [{ pid: 10, ppid: 9, kind: "main", label: "main", implementation: "accelerator" }],
    files,
  };
  fs.writeFileSync(path.join(folder, "run.json"), JSON.stringify(run));
}

/** One process, from its start to its end. */
async function ask(program, project) {
  const began = performance.now();
  const server = spawn(process.execPath, [program, "mcp", "--project", project], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answer = async (id, method, params) => {
    send({ id, method, params });
    const { value } = await answers.next();
    const { result, error } = JSON.parse(value);
    if (result === undefined || result.isError) throw new Error(error?.message ?? result.content[0].text);
    return value.length;
  };
  await answer(0, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  });
  send({ method: "notifications/initialized" });
  const lines = () => answer(1, "tools/call", { name: "get_lines", arguments: {} });
  const bytes = await lines();
  const first = performance.now() - began;
  const again = [];
  for (let turn = 0; turn < MORE; turn++) {
    const asked = performance.now();
    await lines();
    again.push(performance.now() - asked);
  }
  server.stdin.end();
  await new Promise((resolve) => server.on("exit", resolve));
  return { first, again: Math.min(...again), bytes };
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-bench-agents-"));
try {
  await bundlePrograms({ cli: "src/cli/main.ts" }, scratch);
  const sizes = options.quick ? SIZES.slice(0, 1) : SIZES;
  const rounds = options.quick ? 2 : Number(options.rounds);
  const measured = [];
  for (const lines of sizes) {
    const project = path.join(scratch, `project-${lines}`);
    writeRun(project, lines);
    const processes = [];
    for (let round = 0; round < rounds; round++) processes.push(await ask(path.join(scratch, "cli.cjs"), project));
    measured.push(processes);
    const least = (figure) => Math.min(...processes.map(figure)).toFixed(0);
    const { bytes } = processes[0];
    console.log(
      `${lines} lines: first answer ${least(({ first }) => first)} ms, then ${least(({ again }) => again)} ms; ${bytes} bytes`,
    );
  }
  if (options.out) {
    const asked = rowsOf(sizes, measured).filter(({ row }) => names.length === 0 || names.includes(row));
    writeRows(options.out, asked);
  }
  const best = Math.min(...measured[0].map(({ first }) => first));
  if (best > BAR_MS) console.log(`The first answer took more than ${BAR_MS} ms.`);
  if (options.check && best > BAR_MS) process.exitCode = 1;
} finally {
  fs.rmSync(scratch, { recursive: true, force: true });
}

function rowsOf(sizes, measured) {
  const figures = (figure) => ({
    unit: "ms",
    better: "less",
    ours: "ours",
    work: { unit: "lines of the run", sizes },
    contestants: [
      {
        name: "ours",
        version,
        command: "node bench/agents/first.mjs",
        runs: measured.map((processes) => processes.map(figure)),
      },
    ],
  });
  return [
    {
      row: "agents/first",
      title: "An agent's first answer",
      measures: "Time by the clock from the start of jetson-memprof mcp to the answer of get_lines on a recorded run",
      goal: { kind: "bound", atMost: BAR_MS },
      ...figures(({ first }) => first),
    },
    {
      row: "agents/again",
      title: "Answers that follow",
      measures: `Time by the clock of get_lines once the server runs, the least of ${MORE} in each process`,
      ...figures(({ again }) => again),
    },
  ];
}
