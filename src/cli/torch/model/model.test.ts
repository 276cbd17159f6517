import * as fs from "node:fs";
import * as path from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonLines, makeProject, runFiles } from "../../../profile/testing.ts";
import { SMALL } from "../../../torch/model/testing.ts";
import { type Command, parseCommandLine } from "../../commandLine/commandLine.ts";
import type { Surroundings } from "../../run/followRun.ts";
import { collected } from "../../terminal/testing.ts";
import { showModel } from "./modelCommand.ts";
import { showSharedLayers } from "./sharedLayersCommand.ts";
import { whatIf } from "./whatIfCommand.ts";

let project: string;
let run: string;
let remove: () => void;
beforeEach(() => {
  ({ project, run, remove } = makeProject(runFiles({ "model.10.jsonl": jsonLines(SMALL) })));
});
afterEach(() => remove());

async function printed(...words: string[]): Promise<string> {
  const stdout = collected();
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream;
  const around: Surroundings = { stdout, stderr: stdout, stdin, env: {}, signals: new PassThrough(), quit: () => {} };
  const command: Command = parseCommandLine(words);
  if (command.kind === "model") await showModel(command, "", around);
  else if (command.kind === "whatif") await whatIf(command, "", around);
  else if (command.kind === "shared-layers") await showSharedLayers(command, stdout);
  else throw new Error(command.kind);
  return stdout.text();
}

describe("the command lines of model, whatif and shared-layers", () => {
  it("take a run, free memory and a depth", () => {
    expect(parseCommandLine(["model", "last", "--free", "3000", "--depth=1", "--json"])).toEqual({
      kind: "model",
      source: { kind: "run", run: "last" },
      free: 3000 * 2 ** 20,
      depth: 1,
      json: true,
    });
    expect(parseCommandLine(["model", "-h"])).toEqual({ kind: "help", topic: "model" });
  });

  it("take a script with a target, batches, its own arguments and a check", () => {
    const words = "train.py --target nano --batch-argument --bs --batches 8,16 --check --epochs 2".split(" ");
    expect(parseCommandLine(["model", ...words])).toMatchObject({
      source: {
        kind: "script",
        profile: {
          entry: { path: "train.py" },
          args: ["--epochs", "2"],
          target: "nano",
          torch: { model: { steps: 3 } },
        },
        batches: [8, 16],
        batchArgument: "--bs",
        check: "largest",
      },
    });
    expect(parseCommandLine(["model", "t.py", "--target", "nano", "--check=32"])).toMatchObject({
      source: { check: 32, batches: [], batchArgument: "--batch-size" },
    });
  });

  it("take what a verifying run leaves out of the project", () => {
    const words = ["whatif", "last", "amp", "--verify", "--exclude", "data", "--exclude=*.ckpt"];
    expect(parseCommandLine(words)).toMatchObject({ verify: true, excludes: ["data", "*.ckpt"] });
  });

  it.each([
    [["model", "last", "--batches", "8"], "--batches needs a script and --target"],
    [["model", "t.py", "--target", "nano", "--batches", "8,x"], 'not "x"'],
    [["model", "t.py", "--target", "nano", "--engine", "massif"], "needs --engine line"],
    [["model", "last", "--free", "-1"], "--free is a size in MiB"],
    [["model"], "Name a run"],
    [["model", "train.py"], "train.py is a script: say with --target"],
    [["whatif", "last", "magic"], 'not "magic"'],
    [["whatif", "last", "lora:abc"], 'not "abc"'],
    [["whatif", "last", "lora:0"], 'not "0"'],
    [["whatif", "last", "lora+4bit:-8"], 'not "-8"'],
    [["whatif", "last", "sequence:1e9"], 'not "1e9"'],
    [["whatif", "last", "--verify"], "Name a change to verify"],
    [["whatif", "last", "amp", "more"], "One run at a time"],
  ])("refuse %o", (words, message) => {
    expect(() => parseCommandLine(words)).toThrow(message);
  });
});

describe("model", () => {
  it("prints the tree of layers with what each holds", async () => {
    const text = await printed("model", run);
    expect(text).toContain("Net at train.py:33, on cpu, PyTorch 1.13.1");
    expect(text).toMatch(/^ *3 KiB +100\.0 % +440 B +80 B +400 B +800 B +2 KiB +\(the model\) {2}Net$/m);
    expect(text).toMatch(/^ *2 KiB +51\.9 % +40 B +80 B +0 B +0 B +2 KiB +b {2}Linear\(10, 10\)$/m);
    expect(text).toContain("404 B for each sample, by the shapes of saved tensors");
    expect(text).toContain("The largest batch is not known without the board's free memory");
    expect(await printed("model", run, "--depth", "0")).toContain("2 layers lie deeper");
  });

  it("tells the largest batch that fits what is given, and what is not known of it", async () => {
    const text = await printed("model", run, "--free", "1");
    expect(text).toContain("Largest batch in 1.0 MiB (as given): 2,357, least not known, at most 2,357");
  });

  it("prints all of it as JSON whose totals are the layers' sums", async () => {
    const json = JSON.parse(await printed("model", run, "--json"));
    const own = json.layers.map((layer: { own: { total_bytes: number } }) => layer.own.total_bytes);
    expect(own.reduce((sum: number, bytes: number) => sum + bytes, 0)).toBe(json.layers[0].total.total_bytes);
    expect(json.batch.bytes_per_sample_by_shape).toBe(404);
    expect(json.batch).not.toHaveProperty("largest");
  });

  it("says that a run has no account, and why", async () => {
    fs.rmSync(path.join(run, "model.10.jsonl"));
    await expect(printed("model", run)).rejects.toMatchObject({ code: "no-model-account" });
  });

  it("shows names from a board without what a terminal would obey", async () => {
    const hostile = SMALL.map((record) => JSON.parse(JSON.stringify(record).replaceAll('"a"', '"a\\u001b[2J"')));
    fs.writeFileSync(path.join(run, "model.10.jsonl"), jsonLines(hostile));
    const text = await printed("model", run);
    expect(text).toContain("a?[2J");
    expect(text).not.toContain("\u001b");
  });
});

describe("whatif", () => {
  it("prints estimates with their formula, and why others do not apply", async () => {
    const text = await printed("whatif", run);
    expect(text).toContain("Gradient accumulation");
    expect(text).toContain("F + S·⌈B/k⌉, where");
    expect(text).toMatch(/^ {2}checkpoint: No chain of layers was found/m);
  });

  it("prints one kind with a choice, as JSON too", async () => {
    const json = JSON.parse(await printed("whatif", run, "accumulation:4", "--json"));
    expect(json.estimates).toHaveLength(1);
    expect(json.estimates[0]).toMatchObject({ choice: { value: 4 }, changed: { bytes: 24 + 404 } });
  });

  it("does not verify by a run what is changed by hand, or what does not apply", async () => {
    await expect(printed("whatif", run, "accumulation", "--verify")).rejects.toMatchObject({ code: "edit-by-hand" });
    await expect(printed("whatif", run, "checkpoint", "--verify")).rejects.toMatchObject({ code: "no-estimate" });
  });
});

describe("shared-layers", () => {
  it("needs two models", async () => {
    await expect(printed("shared-layers", "--project", project)).rejects.toMatchObject({ code: "no-models" });
  });

  it("tells what the newest runs of two scripts have alike, and what merging needs", async () => {
    const other = path.join(path.dirname(run), "20261122-000000-eval-0001");
    fs.cpSync(run, other, { recursive: true });
    const file = path.join(other, "run.json");
    const described = JSON.parse(fs.readFileSync(file, "utf8"));
    described.command.script = "eval.py";
    fs.writeFileSync(file, JSON.stringify(described));
    const text = await printed("shared-layers", "--project", project);
    expect(text).toContain("Models compared: eval.py, train.py");
    expect(text).toMatch(/^400 B +400 B +2 +Linear\(10, 10\) +eval\.py: a, train\.py: a$/m);
    expect(text).toContain("Merging all of them would save 520 B.");
    expect(text).toContain("they must be trained together again");
  });
});
