import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { boardLines, MIB, training } from "../../../board/testing.ts";
import { makeProject, runFiles, runJson } from "../../../profile/testing.ts";
import { parseCommandLine } from "../../commandLine/commandLine.ts";
import { collected } from "../../terminal/testing.ts";
import { showLedger } from "./ledgerCommand.ts";
import { type LedgerCommand, parseLedger } from "./ledgerCommandLine.ts";

let run: string;
let remove: () => void;
beforeEach(() => {
  ({ run, remove } = makeProject({
    ...runFiles(),
    "moments.jsonl": `${boardLines("nano", training(40), { simulated: "Jetson\u001B[2J Nano" }).join("\n")}\n`,
  }));
});
afterEach(() => remove());

async function printed(...options: string[]): Promise<string> {
  const output = collected();
  const command = parseLedger([run, ...options]);
  if (command === undefined) throw new Error("help");
  await showLedger(command, output);
  return output.text();
}

describe("the command line of ledger", () => {
  it("takes a run, a moment, --tools, --json and a project", () => {
    const command: LedgerCommand = { kind: "ledger", run: "last", at: 12.5, tools: true, json: true, project: "x" };
    expect(parseCommandLine(["ledger", "last", "--at", "12.5", "--tools", "--json", "--project", "x"])).toEqual(
      command,
    );
    expect(parseCommandLine(["ledger", "last"])).toMatchObject({ at: "peak", tools: false, json: false });
    expect(parseCommandLine(["ledger", "-h"])).toEqual({ kind: "help", topic: "ledger" });
  });
  it.each([["soon"], ["-1"], ["1e9"], ["0x5"], [""]])("refuses the moment %o", (at) => {
    expect(() => parseLedger(["last", `--at=${at}`])).toThrow(`not "${at}"`);
  });
  it("needs one run", () => {
    expect(() => parseLedger([])).toThrow("Name a run");
    expect(() => parseLedger(["a", "b"])).toThrow("one too many");
  });
});

describe("ledger", () => {
  it("prints the run's peak, what changed since before it, and adds up", async () => {
    const text = await printed();
    const lines = text.split("\n");
    expect(lines[0]).toContain("Jetson?[2J Nano");
    expect(lines[1]).toBe("30.0 s after the start, when this run held the most, at train.py:33");
    expect(text).toMatch(/^ *940\.0 MiB +23\.7 % +\+940\.0 MiB +exact +Heap and other anonymous memory$/m);
    expect(text).toMatch(/^ *3964\.0 MiB +100\.0 % +exact +All of the RAM \(MemTotal\)$/m);
    expect(text).not.toContain("tegrastats");
  });

  it("prints the moment before the run, and any other, by its time", async () => {
    expect(await printed("--at", "baseline")).toContain("Before the script was started");
    expect(await printed("--at", "baseline")).not.toContain("Change");
    expect(await printed("--at", "4.4")).toContain("4.0 s after the start, at train.py:4");
    expect(await printed("--at", "9999")).toContain("40.0 s after the start");
  });

  it("prints what each tool calls used, where it is asked to", async () => {
    const text = await printed("--tools");
    expect(text).toContain('What each tool calls "used" at this moment:');
    expect(text).toMatch(/MiB {2}jtop, RAM used +MemTotal − MemFree − Buffers − Cached$/m);
    expect(text).toContain("The run was not made under massif, or massif wrote no profile of it.");
  });

  it("prints what a server says itself, marked, also as JSON", async () => {
    const served = { p: [[900, "ollama", 1000, 60 * MIB, 40 * MIB, 20 * MIB, 0, 0, null, null]] };
    const model = { t: 45_000, ...served, servers: [[900, "api", [["whole", "llama3.2:3b", 4200 * MIB]]]] };
    const file = path.join(run, "moments.jsonl");
    const last = fs.readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? "";
    fs.appendFileSync(file, `${JSON.stringify({ ...JSON.parse(last), ...model })}\n`);
    expect(await printed("--at", "45")).toContain(
      "ollama: all of the model (llama3.2:3b): 4200.0 MiB, as it says itself\n",
    );
    const { rows } = JSON.parse(await printed("--json", "--at", "45"));
    const row = rows.find(({ id }: { readonly id: string }) => id === "others.servers");
    expect(row.said).toEqual([
      {
        label: "ollama: all of the model (llama3.2:3b)",
        bytes: 4200 * MIB,
        program: "ollama",
        pid: 900,
        kind: "whole",
        where: "llama3.2:3b",
      },
    ]);
  });

  it("prints all of it as JSON", async () => {
    const json = JSON.parse(await printed("--json", "--tools"));
    expect(json).toMatchObject({ schema: 1, t_ms: 30_000, baseline: false, mem_total_bytes: 3964 * MIB, notes: [] });
    expect(json.at).toEqual({ path: "train.py", line: 33 });
    const sum = json.rows.reduce((total: number, { bytes = 0 }) => total + bytes, 0);
    expect(sum).toBe(json.mem_total_bytes);
    expect(json.changes.find(({ id }: { id: string }) => id === "run.anon")).toMatchObject({ change: 940 * MIB });
    expect(json.tools).toHaveLength(12);
    expect(JSON.parse(await printed("--json", "--at", "baseline"))).not.toHaveProperty("changes");
  });

  it("says that a run has no record of the board's memory", async () => {
    fs.rmSync(path.join(run, "moments.jsonl"));
    await expect(printed()).rejects.toMatchObject({ code: "no-moments" });
  });

  it("says that there is no moment before the run", async () => {
    const lines = boardLines("nano", training(5).slice(1));
    fs.writeFileSync(path.join(run, "moments.jsonl"), `${lines.join("\n")}\nnot a record\n`);
    await expect(printed("--at", "baseline")).rejects.toMatchObject({ code: "no-baseline" });
    expect(await printed()).toContain("Note: Records of moments.jsonl that cannot be read: 1.");
  });

  it("has massif's peak among the tools for a run under massif", async () => {
    const engine = { name: "massif", exact: false, peak: false, accelerator: true, massif: massifSettings };
    fs.writeFileSync(path.join(run, "run.json"), JSON.stringify(runJson({ engine })));
    expect(await printed("--tools")).toContain("The run was not made under massif, or massif wrote no profile of it.");
    const snapshot = [
      "#-----------",
      "snapshot=0",
      "#-----------",
      "time=1",
      "mem_heap_B=5242880",
      "mem_heap_extra_B=8",
    ];
    const tree = [
      "mem_stacks_B=0",
      "heap_tree=peak",
      "n0: 5242880 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.",
    ];
    const file = ["desc: -", "cmd: python3 train.py", "time_unit: i", ...snapshot, ...tree, ""].join("\n");
    fs.writeFileSync(path.join(run, "massif.out.10"), file);
    expect(await printed("--tools")).toMatch(/^ *5\.0 MiB {2}Massif, at its peak/m);
  });
});

const massifSettings = {
  valgrind: "3.19.0",
  threshold: 0.1,
  depth: 100,
  pages_as_heap: false,
  gpu: false,
  max_hits: 3,
  lines: [],
};
