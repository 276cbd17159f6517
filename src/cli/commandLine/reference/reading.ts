/** What is known of the commands that read recorded runs and files. */

import { EXPORT_FORMATS } from "../../../profile/formats/exportFormats.ts";
import { CACHE_TYPES } from "../../../torch/kvCache/model.ts";
import { phrase } from "../../../words/t.ts";
import type { CommandDescription, Options } from "./model.ts";
import {
  COLORS,
  JSON_OPTION,
  METRIC_OPTION,
  ONE_METRIC_OPTION,
  PROJECT_OPTION,
  RUN,
  RUN_OPTIONS,
  SINCE_OPTION,
} from "./shared.ts";

export const SHOW = {
  name: "show",
  summary: phrase("print a run again"),
  synopses: ["RUN [options]"],
  words: [RUN],
  options: {
    ...RUN_OPTIONS,
    file: { kind: "value", value: "FILE", says: phrase("only this file (its path in the project)") },
    format: {
      kind: "value",
      value: "FORMAT",
      says: phrase("table, or memory_profiler for that package's columns"),
      default: "table",
      choices: ["table", "memory_profiler"],
    },
    metric: METRIC_OPTION,
    ranks: {
      kind: "value",
      value: "RANKS",
      says: phrase(
        "of a script that a launcher such as torchrun started several times: together (all added up), highest or median (of each line the rank that took the most, or that in the middle), or the number of a rank",
      ),
      default: "together",
    },
    since: SINCE_OPTION,
    top: {
      kind: "value",
      value: "N",
      says: phrase("only the N lines that took the most memory themselves, across all files, one per row"),
    },
  },
  examples: [
    ["show last", phrase("the newest run")],
    ["show last --top 5", phrase("its five heaviest lines")],
    ["show last --ranks highest", phrase("of each line the rank that took the most there")],
    ["show last --since=-10m", phrase("what its lines took in the last ten minutes")],
    ["show 20261121-1047 --json", phrase("a run by the beginning of its id")],
  ],
  environment: COLORS,
  json: "schema/run.schema.json",
} as const satisfies CommandDescription;

export const DIFF = {
  name: "diff",
  summary: phrase("show what changed from one run to another, line by line"),
  synopses: ["BEFORE AFTER [options]"],
  about: [phrase("Lines are matched through the edits of their sources. See docs/compare.md.")],
  words: [
    {
      name: "BEFORE",
      says: phrase("a run, repeats of it joined by commas, or the id of a series of profile --repeat"),
    },
    { name: "AFTER", says: phrase("the same, later") },
  ],
  options: {
    ...RUN_OPTIONS,
    repeats: { kind: "flag", says: phrase("take each run with the others of its series") },
    metric: ONE_METRIC_OPTION,
    all: { kind: "flag", says: phrase("list what did not change too") },
    markdown: { kind: "flag", says: phrase("print Markdown for a comment on a pull request") },
  },
  examples: [
    ["diff 20261121-1047 last", phrase("an earlier run against the newest")],
    ["diff RUN1,RUN2,RUN3 RUN4,RUN5 --metric cuda", phrase("repeats against repeats")],
  ],
  environment: COLORS,
  json: "command-line.md#comparing-runs",
} as const satisfies CommandDescription;

export const WHY = {
  name: "why",
  summary: phrase("explain why a run ran out of memory, on which line, and what would help"),
  synopses: ["RUN [options]"],
  words: [RUN],
  options: RUN_OPTIONS,
  examples: [["why last", phrase("of the newest run")]],
  json: "command-line.md#why-a-run-ended",
} as const satisfies CommandDescription;

export const LEDGER = {
  name: "ledger",
  summary: phrase("print where all of the board's RAM was at one moment of a run"),
  synopses: ["RUN [options]"],
  about: [phrase("What changed since the moment before the run stands beside it. See docs/ledger.md.")],
  words: [RUN],
  options: {
    ...RUN_OPTIONS,
    at: {
      kind: "value",
      value: "MOMENT",
      says: phrase("peak (the run held the most), baseline (before the run) or seconds after its start"),
      default: "peak",
    },
    tools: {
      kind: "flag",
      says: phrase('also what htop, free, smem, jtop and others would have called "used", and why they differ'),
    },
  },
  examples: [
    ["ledger last --tools", phrase("at the peak, with the other tools' figures")],
    ["ledger last --at 12.5", phrase("12.5 s after the start")],
  ],
  json: "command-line.md#where-the-ram-was",
} as const satisfies CommandDescription;

export const EXPORT = {
  name: "export",
  summary: phrase("write a run into one file for others"),
  synopses: ["RUN --format FORMAT [options]"],
  about: [
    phrase(
      "docs/export.md says what each format holds, docs/schema/run.schema.json what json has. What a format cannot hold " +
        "is listed on standard error.",
    ),
  ],
  words: [RUN],
  options: {
    format: {
      kind: "value",
      value: "FORMAT",
      says: phrase(
        "html (a report for any browser, without a network), markdown, csv, json, pprof, speedscope, heapprofile (for " +
          "VS Code and Chrome) or memory_profiler (that package's table)",
      ),
      choices: EXPORT_FORMATS,
    },
    out: {
      kind: "value",
      value: "FILE",
      says: phrase('where to; "-" for standard output'),
      default: phrase("the run's name with the format's ending, in the current folder"),
    },
    metric: { ...METRIC_OPTION, default: phrase("what the format shows best") },
    project: PROJECT_OPTION,
  },
  examples: [
    ["export last --format html", phrase("a report in one file")],
    ["export last --format pprof --out run.pb.gz", phrase("for pprof")],
  ],
} as const satisfies CommandDescription;

export const SNAPSHOT = {
  name: "snapshot",
  summary: phrase("print what a snapshot of PyTorch's CUDA allocator holds"),
  synopses: ["FILE|RUN [options]"],
  about: [phrase("Nothing in the file is executed; one that holds more than data is refused.")],
  words: [
    { name: "FILE", says: phrase("what torch.cuda.memory wrote, or allocator.*.pickle of a run's folder") },
    { name: "RUN", says: phrase("the newest snapshot of this run") },
  ],
  options: {
    at: {
      kind: "value",
      value: "MOMENT",
      says: phrase(
        "when the lines' live memory is counted: max (most was held), end, oom (the last request that failed) or after " +
          "so many of the recorded events",
      ),
      default: "max",
    },
    compare: {
      kind: "value",
      value: "FILE|RUN",
      says: phrase("another snapshot: what each line held there too, at the same kind of moment"),
    },
    device: { kind: "value", value: "DEVICE", says: phrase("only the GPU with this number") },
    top: { kind: "value", value: "LINES", says: phrase("how many lines are listed"), default: "15" },
    json: JSON_OPTION,
    project: PROJECT_OPTION,
  },
  examples: [
    ["snapshot last --at oom", phrase("what was held when memory ran out")],
    ["snapshot after.pickle --compare before.pickle", phrase("which lines hold more at the maximum than before")],
  ],
  environment: COLORS,
  json: "command-line.md#snapshots-of-pytorchs-allocator",
} as const satisfies CommandDescription;

export const MASSIF = {
  name: "massif",
  summary: phrase("print what a massif.out file of valgrind holds"),
  synopses: ["FILE [--snapshot SNAPSHOT | --diff SNAPSHOT SNAPSHOT] [--json | --folded | --flame OUT.svg]"],
  about: [phrase("FILE may be of any program; one of a run's folder has the names of its Python lines.")],
  words: [{ name: "FILE", says: phrase("the file, as massif.out.4242") }],
  options: {
    snapshot: {
      kind: "value",
      value: "SNAPSHOT",
      says: phrase("which one the tables are of: its number, last or peak"),
      default: "peak",
    },
    diff: {
      kind: "pair",
      value: "A B",
      says: phrase("what changed from snapshot A to snapshot B"),
      lacking: phrase("two snapshots after it: the earlier one and the later one"),
    },
    json: JSON_OPTION,
    folded: { kind: "flag", says: phrase("print the stacks as flamegraph.pl, speedscope and others read them") },
    flame: { kind: "value", value: "OUT.svg", says: phrase("write a flame graph") },
    direction: {
      kind: "value",
      value: "DIRECTION",
      says: phrase("of --folded and --flame: callers-first or allocators-first"),
      default: "callers-first",
      choices: ["callers-first", "allocators-first"],
    },
    "all-frames": {
      kind: "flag",
      says: phrase("keep the Python interpreter's own frames, which --folded and --flame leave out of Python stacks"),
    },
  },
  examples: [
    ["massif massif.out.4242 --diff 10 peak", phrase("what grew from snapshot 10 to the peak")],
    ["massif massif.out.4242 --flame heap.svg", phrase("a flame graph of the peak")],
  ],
  environment: COLORS,
  json: "command-line.md#massif-files",
} as const satisfies CommandDescription;

export const TRACE = {
  name: "trace",
  summary: phrase("print what a trace of torch.profiler says of memory"),
  synopses: ["FILE [--json]"],
  about: [phrase("Each device's peak, and the operators that had allocated what it held then.")],
  words: [
    { name: "FILE", says: phrase("a .pt.trace.json or .json made with profile_memory=True, packed with gzip or not") },
  ],
  options: { json: JSON_OPTION } satisfies Options,
  examples: [["trace step.pt.trace.json.gz", phrase("of a packed trace")]],
  json: "command-line.md#traces-of-torchprofiler",
} as const satisfies CommandDescription;

export const KV_CACHE = {
  name: "kv-cache",
  summary: phrase("print how large a language model's cache of keys and values gets"),
  synopses: ["MODEL [options]", "--layers N --kv-heads N --head-size N [options]"],
  about: [
    phrase(
      "Layers × (keys + values of a token) × length × bytes of an element, before any server runs. For llama.cpp and " +
        "Ollama the length is the whole context (-c, num_ctx), however many share it; for vLLM what a request takes of its pool.",
    ),
  ],
  words: [
    {
      name: "MODEL",
      says: phrase("config.json of transformers, the folder that it lies in, or a .gguf file; only its head is read"),
    },
  ],
  options: {
    layers: { kind: "value", value: "N", says: phrase("the model's layers, where no MODEL says them (n_layer)") },
    "kv-heads": {
      kind: "value",
      value: "N",
      says: phrase("the heads of a layer that keep keys and values (n_head_kv)"),
    },
    "head-size": { kind: "value", value: "N", says: phrase("the elements of a head (n_embd_head_k)") },
    length: {
      kind: "value",
      value: "N,N…",
      says: phrase("lengths in tokens"),
      default: phrase("powers of two up to what the model is made for"),
    },
    type: {
      kind: "value",
      value: "TYPE,TYPE…",
      says: phrase("types of an element: {0}", CACHE_TYPES.join(", ")),
      default: "f16,q8_0,q4_0",
    },
    sequences: { kind: "value", value: "N", says: phrase("how many are kept at the same time"), default: "1" },
    free: {
      kind: "value",
      value: "MIB",
      says: phrase("memory for the cache, in MiB: the longest text that fits is printed too"),
    },
    json: JSON_OPTION,
  },
  examples: [
    ["kv-cache Qwen3-8B/config.json --length 8192", phrase("of a model that transformers loads")],
    ["kv-cache model.gguf --free 3000", phrase("what fits, of one that llama.cpp loads")],
  ],
  json: "command-line.md#the-cache-of-a-language-model",
} as const satisfies CommandDescription;
