/** What is known of `profile`. */

import { HEAP_DEFAULTS } from "../../../profile/heapDefaults.ts";
import { MASSIF_DEFAULTS } from "../../../profile/massifDefaults.ts";
import { MOST_MODEL_STEPS, MOST_SNAPSHOT_ENTRIES, TORCH_DEFAULTS } from "../../../profile/torch/torchDefaults.ts";
import { phrase } from "../../../words/t.ts";
import type { CommandDescription, Options } from "./model.ts";
import {
  AGENT,
  BOARD_FOLDER_OPTION,
  COLORS,
  ENV_OPTION,
  EXCLUDE_OPTION,
  INSIDE_OPTIONS,
  METRIC_OPTION,
  PYTHON_OPTION,
  QUIET_OPTION,
  SCRIPT_EXIT,
  TARGET_OPTION,
} from "./shared.ts";

const WITH_MASSIF = phrase("With --engine massif");
const OF_PYTORCH = phrase("Of PyTorch, with the line engine");
export const ENGINES = ["line", "memory_profiler", "massif"] as const;
export const MOST_REPEATS = 100;

export const MASSIF_OPTIONS = {
  "massif-line": {
    kind: "list",
    value: "FILE:LINE",
    says: phrase("measure the heap before and after this line; may be given several times; with --native-stacks too"),
    default: phrase(
      "under massif the heaviest lines of the script's last run with the line engine, else its imports; with --native-stacks none",
    ),
    group: WITH_MASSIF,
  },
  "pages-as-heap": {
    kind: "flag",
    says: phrase("count mapped pages, not heap blocks: sees CUDA's mappings, needs less memory on the board"),
    group: WITH_MASSIF,
  },
  gpu: {
    kind: "flag",
    says: phrase("let the script use the GPU, which valgrind may not get along with"),
    group: WITH_MASSIF,
  },
  threshold: {
    kind: "value",
    value: "N",
    says: phrase("sum up call stacks below N percent of the heap, 0.001 to 100; smaller makes larger files"),
    default: String(MASSIF_DEFAULTS.threshold),
    group: WITH_MASSIF,
  },
  "no-python-frames": {
    kind: "flag",
    says: phrase("leave the stacks as valgrind sees them, without the Python lines"),
    group: WITH_MASSIF,
  },
  anyway: {
    kind: "flag",
    says: phrase("start even where the board seems to have too little memory or too old a valgrind"),
    group: WITH_MASSIF,
  },
} as const satisfies Options;

export const TORCH_OPTIONS = {
  snapshots: {
    kind: "optional",
    value: "ENTRIES",
    says: phrase(
      "record PyTorch's CUDA allocator, with so many of its latest events kept ({0}, up to {1}), and keep snapshots of " +
        "it: when memory runs out, every minute, at the end; takes memory on the board, needs PyTorch 1.13",
      TORCH_DEFAULTS.snapshotEntries,
      MOST_SNAPSHOT_ENTRIES,
    ),
    group: OF_PYTORCH,
  },
  "exact-cuda-peaks": {
    kind: "flag",
    says: phrase(
      "reset PyTorch's own peaks so that those of lines are exact, not bounds; torch.cuda.max_memory_allocated() in the " +
        "script then tells the peak since the last reset",
    ),
    group: OF_PYTORCH,
  },
  model: {
    kind: "optional",
    value: "STEPS",
    says: phrase(
      "account the models layer by layer, over so many training steps ({0}, up to {1})",
      TORCH_DEFAULTS.modelSteps,
      MOST_MODEL_STEPS,
    ),
    group: OF_PYTORCH,
  },
  try: {
    kind: "value",
    value: "CHANGE",
    says: phrase(
      "make a change to the model for this run, to measure what it saves: checkpoint:LAYERS (activation checkpointing " +
        "every so many layers), nano-batch:CHUNKS, amp or in-place; the files stay as they are; turns --model on",
    ),
    group: OF_PYTORCH,
  },
} as const satisfies Options;

export const HEAP_OPTIONS = {
  "native-stacks": {
    kind: "optional",
    value: "KIB",
    says: phrase(
      "sample the native call stacks of what the script allocates, with the Python lines in them: one in so many KiB " +
        "({0}, {1} to {2}), with the line engine; costs next to no time, and the board needs nothing for it",
      HEAP_DEFAULTS.sampleKiB,
      HEAP_DEFAULTS.leastKiB,
      HEAP_DEFAULTS.mostKiB,
    ),
  },
} as const satisfies Options;

/** Those of one run; what makes several takes them too. */
export const PROFILE_OPTIONS = {
  target: TARGET_OPTION,
  ...INSIDE_OPTIONS,
  python: PYTHON_OPTION,
  "board-folder": BOARD_FOLDER_OPTION,
  engine: {
    kind: "value",
    value: "ENGINE",
    says: phrase(
      "line; memory_profiler (that package, where the board has it); or massif (under valgrind's massif: native call " +
        "stacks with the Python lines in them, much slower)",
    ),
    default: "line",
    choices: ENGINES,
  },
  exact: {
    kind: "flag",
    says: phrase("read the memory more often (down to 1.5 µs apart, not 10 µs); slower, less is left uncertain"),
  },
  "no-accelerator": { kind: "flag", says: phrase("measure in pure Python, without the compiled library") },
  ...HEAP_OPTIONS,
  env: ENV_OPTION,
  exclude: EXCLUDE_OPTION,
  project: {
    kind: "value",
    value: "FOLDER",
    says: phrase("the folder that is sent to the board and measured"),
    default: phrase(
      "the current folder where the script lies below it and it is not your home folder, else the script's own",
    ),
  },
  out: {
    kind: "value",
    value: "FOLDER",
    says: phrase("where the run's folder is made"),
    default: phrase(".jetson-memprof/runs in the project"),
  },
  metric: METRIC_OPTION,
  json: {
    kind: "flag",
    says: phrase("print the figures as JSON on standard output; the script's output goes to standard error"),
  },
  quiet: QUIET_OPTION,
  ...MASSIF_OPTIONS,
  ...TORCH_OPTIONS,
} as const satisfies Options;

export const REPEAT_OPTIONS = {
  repeat: {
    kind: "value",
    value: "N",
    says: phrase(
      "make the run N times (1 to {0}) as a series, and print the median and spread of its figures",
      MOST_REPEATS,
    ),
  },
} as const satisfies Options;

export const DRY_RUN_OPTIONS = {
  "dry-run": {
    kind: "flag",
    says: phrase(
      "print which files of the project would go to the board, how large they are, and what stays here and why; " +
        "reaches no board and runs nothing",
    ),
  },
} as const satisfies Options;

export const PROFILE = {
  name: "profile",
  summary: phrase("run a Python script on a board and print the memory every line took"),
  synopses: [
    "[options] SCRIPT [arguments of the script]",
    "[options] -m MODULE [arguments of the module]",
    "[options] --launch LAUNCHER [its options] SCRIPT [arguments of the script]",
  ],
  about: [
    phrase(
      "Options may stand before the script or after it. What is not one of them is the script's, and so is everything " +
        'after "--": an option of the script\'s own that has one of these names goes there.',
    ),
    phrase("Ctrl-C ends the run on the board and prints what was measured until then; a second Ctrl-C quits at once."),
  ],
  words: [
    { name: "SCRIPT", says: phrase("a Python file or a notebook (.ipynb)") },
    { name: "MODULE", says: phrase("a module to run as python -m does") },
    {
      name: "LAUNCHER",
      says: phrase("a program that starts the script several times, such as torchrun or mpirun -n 2 python3"),
    },
  ],
  options: {
    ...PROFILE_OPTIONS,
    launch: {
      kind: "value",
      value: "LAUNCHER",
      says: phrase(
        "have that program start the script; it stands last, and all that follows is the launcher's and the script's",
      ),
    },
    ...REPEAT_OPTIONS,
    ...DRY_RUN_OPTIONS,
  },
  examples: [
    ["profile train.py --epochs 2 --target ssh://nano@192.168.1.20", phrase("on a board")],
    ["profile train.py --target nano --dry-run", phrase("only lists what would be sent there")],
    ["profile -m pkg.train --target loopback", phrase("a module, on a simulated board")],
    [
      "profile --target nano --launch torchrun --nproc-per-node 2 train.py",
      phrase("each rank with a table of its own"),
    ],
    ["profile train.py --target nano --repeat 5", phrase("five times, for the spread of its figures")],
    ["profile train.py --target nano --native-stacks", phrase("with the native stacks of its allocations")],
    ["profile --target nano train.py -- --out model.pt", phrase("--out is the script's")],
  ],
  exit: SCRIPT_EXIT,
  environment: [...COLORS, ...AGENT],
  json: "command-line.md#json",
} as const satisfies CommandDescription;
