/** What is known of the commands that make or read several runs of a model. */

import { WHAT_IF_KINDS } from "../../../torch/whatif/model.ts";
import { phrase } from "../../../words/t.ts";
import type { CommandDescription, Options } from "./model.ts";
import {
  AGENT,
  BOARD_FOLDER_OPTION,
  ENV_OPTION,
  EXCLUDE_OPTION,
  PROJECT_OPTION,
  QUIET_OPTION,
  RUN,
  RUN_OPTIONS,
  TARGET_OPTION,
} from "./shared.ts";

/** Those of `model` that `profile` does not have. */
export const MODEL_OWN_OPTIONS = {
  batches: {
    kind: "value",
    value: "B,B…",
    says: phrase("run once for each batch size; two or more tell how memory grows with the batch"),
  },
  "batch-argument": {
    kind: "value",
    value: "NAME",
    says: phrase("the script's own option that takes the batch size"),
    default: "--batch-size",
  },
  check: {
    kind: "optional",
    value: "B",
    says: phrase("run once more with a batch of B and compare; --check alone takes the largest that fits"),
  },
  free: {
    kind: "value",
    value: "MIB",
    says: phrase("the memory the training may take, in MiB"),
    default: phrase("what was available before the run"),
  },
  depth: { kind: "value", value: "N", says: phrase("how deep the tree of layers is printed"), default: "3" },
} as const satisfies Options;

export const MODEL = {
  name: "model",
  summary: phrase("print which layer of a PyTorch model holds which memory, and the largest batch that fits"),
  synopses: ["RUN [options]", "SCRIPT --target TARGET [options] [arguments of the script]"],
  about: [
    phrase(
      "RUN was made with profile --model. With --target the script is run first. docs/model.md has the formulas and how " +
        "certain each figure is.",
    ),
  ],
  words: [RUN, { name: "SCRIPT", says: phrase("a Python file that is run first") }],
  options: { ...MODEL_OWN_OPTIONS, ...RUN_OPTIONS },
  withProfile: true,
  examples: [
    ["model last", phrase("of a run that was made with --model")],
    [
      "model train.py --target nano --batches 8,16 --check",
      phrase("two runs, then one to see whether the forecast holds"),
    ],
  ],
  environment: AGENT,
  json: "command-line.md#models-layers-batch-sizes-what-ifs",
} as const satisfies CommandDescription;

export const WHATIF = {
  name: "whatif",
  summary: phrase("estimate what changes to the training would save"),
  synopses: ["RUN [KIND[:N]] [options]"],
  words: [
    RUN,
    {
      name: "KIND",
      says: phrase(
        "checkpoint[:LAYERS], nano-batch[:CHUNKS], amp, accumulation[:PARTS], in-place, on-device, loader, " +
          "lora[:RANK], lora+4bit[:RANK], 8bit-optimizer or sequence[:LENGTH]; without it all are listed",
      ),
      choices: WHAT_IF_KINDS,
    },
  ],
  options: {
    ...RUN_OPTIONS,
    verify: { kind: "flag", says: phrase("make the run again with the change, on the same target, and compare") },
    exclude: {
      ...EXCLUDE_OPTION,
      says: phrase("with --verify, as for profile: leave out what was left out of the run"),
    },
  },
  examples: [["whatif last checkpoint:2 --verify", phrase("with checkpoints every two layers, measured")]],
  environment: AGENT,
  json: "command-line.md#models-layers-batch-sizes-what-ifs",
} as const satisfies CommandDescription;

export const SHARED_LAYERS = {
  name: "shared-layers",
  summary: phrase("list layers that the models of the project's runs have in common, and what merging them would save"),
  synopses: ["[options]"],
  options: RUN_OPTIONS,
  examples: [["shared-layers", phrase("of the runs in the current folder")]],
  json: "command-line.md#models-layers-batch-sizes-what-ifs",
} as const satisfies CommandDescription;

/** Those of making a sweep that `profile` does not have. */
export const SWEEP_OWN_OPTIONS = {
  grid: {
    kind: "list",
    value: "NAME=V,V…",
    says: phrase(
      "values of a parameter; may be given several times. The script gets --NAME VALUE, or the value in place of the " +
        "braces where one of its arguments is NAME={}; env:NAME=V,V sets a variable; NAME=on,off gives --NAME or leaves " +
        "it out",
    ),
  },
  boards: {
    kind: "list",
    value: "TARGET,TARGET…",
    says: phrase(
      "run on each of these boards, in place of --target; may be given several times. With * or ? in it a name stands " +
        "for the hosts of ~/.ssh/config that match. With --resume: boards that may be used though you have made no run " +
        "there yet",
    ),
  },
  "at-once": {
    kind: "value",
    value: "N",
    says: phrase("how many boards run something at the same time"),
    default: "4",
  },
  together: {
    kind: "flag",
    says: phrase(
      "with --boards and --launch torchrun: one training over all boards at once; torchrun is told how many they are, " +
        "which one each is, and where they meet",
    ),
  },
  meet: {
    kind: "value",
    value: "HOST[:PORT]",
    says: phrase("with --together: where the other boards reach the first one"),
    default: phrase("its host name of the SSH configuration, port 29500"),
  },
  repeat: {
    kind: "value",
    value: "N",
    says: phrase("run each point N times: the median and the spread are shown"),
    default: "1",
  },
  all: { kind: "flag", says: phrase("run larger values too after a smaller one ran out of memory") },
} as const satisfies Options;

/** Those of a sweep that was made. */
export const KEPT_SWEEP_OPTIONS = {
  show: {
    kind: "value",
    value: "SWEEP",
    says: phrase('print a sweep again: its name or the beginning of it, one of its runs, or "last"'),
  },
  resume: {
    kind: "value",
    value: "SWEEP",
    says: phrase("make the runs that are missing; variables of --env are given again"),
  },
  env: ENV_OPTION,
  target: TARGET_OPTION,
  boards: SWEEP_OWN_OPTIONS.boards,
  "at-once": SWEEP_OWN_OPTIONS["at-once"],
  "board-folder": BOARD_FOLDER_OPTION,
  out: {
    kind: "value",
    value: "FOLDER",
    says: phrase("where the runs are"),
    default: phrase(".jetson-memprof/runs in the project"),
  },
  json: RUN_OPTIONS.json,
  project: PROJECT_OPTION,
  quiet: QUIET_OPTION,
} as const satisfies Options;

export const SWEEP = {
  name: "sweep",
  summary: phrase("run a script once for each combination of values, and print which fit"),
  synopses: [
    "--grid NAME=V,V… --target TARGET [options] SCRIPT [arguments of the script]",
    "--boards TARGET,TARGET… [options] SCRIPT [arguments of the script]",
    "--show SWEEP [options]",
    "--resume SWEEP [options]",
  ],
  about: [phrase("Ctrl-C ends the run under way and the sweep; what was made is kept. See docs/sweep.md.")],
  words: [{ name: "SCRIPT", says: phrase("a Python file") }],
  options: { ...SWEEP_OWN_OPTIONS, ...KEPT_SWEEP_OPTIONS },
  withProfile: true,
  examples: [
    ["sweep --grid batch-size=16,32,64 --target nano train.py --epochs 1", phrase("three runs")],
    ["sweep --boards 'nano-*',orin train.py", phrase("the same script on several boards, at the same time")],
    [
      "sweep --boards nano-1,nano-2 --together --launch torchrun --nproc-per-node 1 train.py",
      phrase("one training over two boards"),
    ],
    ["sweep --show last", phrase("print it again")],
  ],
  exit: [
    ["0", phrase("each run finished or ran out of memory, which is what a sweep looks for")],
    ["1", phrase("a run failed for another reason, or could not be made on one of several boards")],
    ["130", phrase("you cancelled with Ctrl-C")],
  ],
  environment: AGENT,
  json: "sweep.md",
} as const satisfies CommandDescription;
