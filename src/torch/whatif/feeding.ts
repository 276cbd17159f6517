/** How data and weights come to the device: built there or moved, by worker processes, through pinned memory. */

import { phrase, say, t } from "../../words/t.ts";
import type { Refusal, WhatIf } from "./model.ts";
import { type Estimator, exactly, refusal, type Situation } from "./situation.ts";

const MOVED = phrase("Building on the device instead of moving");

export const onDevice = ({ context }: Pick<Situation, "context">): WhatIf | Refusal => {
  const [largest] = context.moves;
  if (largest === undefined || largest.bytes <= 0) {
    return refusal(
      "on-device",
      say(MOVED),
      t("No line was found that makes something in the CPU's memory which another moves with .to() or .cuda()."),
    );
  }
  if (!context.sharedMemory) {
    return refusal(
      "on-device",
      say(MOVED),
      t("CPU and GPU do not share one memory here, so nothing lies in it twice."),
    );
  }
  const { made, moved, bytes } = largest;
  return {
    kind: "on-device",
    title: say(MOVED),
    of: t("the largest of what is moved, while it is copied"),
    now: exactly(2 * bytes),
    // What is built in place needs nothing besides; how long the CPU's copy stays is not known.
    changed: exactly(bytes),
    formula: "2·T → T",
    symbols: [
      {
        symbol: "T",
        meaning: t("what {0}:{1} took of the CPU's memory, by the line profile", made.path, made.line),
        value: bytes,
        unit: "bytes",
      },
    ],
    notes: [
      t(
        "{0}:{1} moves it: while it is copied, both copies are in the one memory that CPU and GPU share.",
        moved.path,
        moved.line,
      ),
      t("The CPU's copy stays as long as anything refers to it."),
      ...(context.moves.length > 1 ? [t("{0} more of such moves are smaller.", context.moves.length - 1)] : []),
    ],
    verify: {
      kind: "edit",
      code: "# instead of torch.randn(rows, columns).to(device)\nx = torch.randn(rows, columns, device=device)\n# layers, from PyTorch 1.9 on\nlayer = torch.nn.Linear(512, 512, device=device)\n# weights from a file\nstate = torch.load(path, map_location=device)",
    },
  };
};

const LOADER = phrase("Loading data without workers and without pinned memory");
/** Batches that each worker has ready: DataLoader's prefetch_factor, https://pytorch.org/docs/stable/data.html. */
const PREFETCHED = 2;

export const loader: Estimator = ({ context, size }) => {
  const { workers } = context;
  const pinned = context.loader.find((line) => line.pinned);
  if (workers === undefined && pinned === undefined && context.loader.length === 0) {
    return refusal("loader", say(LOADER), t("Neither workers nor pinned memory were found in the run or its source."));
  }
  const asked = Math.max(0, ...context.loader.map((line) => line.workers ?? 0));
  const count = workers?.count ?? asked;
  const batches = pinned === undefined ? 0 : Math.max(1, count * PREFETCHED);
  const inPinned = size.inputs * batches;
  const now = (workers?.bytes ?? 0) + inPinned;
  const unknown = workers === undefined && asked > 0;
  if (now === 0) return refusal("loader", say(LOADER), t("What the workers hold could not be read in this run."));
  return {
    kind: "loader",
    title: say(LOADER),
    of: t("what loading holds beside the training"),
    now: { bytes: now, low: workers?.bytes ?? 0, high: now },
    changed: exactly(0),
    formula: "R + I·b → 0",
    symbols: [
      ...(workers === undefined
        ? []
        : [
            {
              symbol: "R",
              meaning: t("what {0} worker processes held of their own at the tightest moment", count),
              value: workers.bytes,
              unit: "bytes" as const,
            },
          ]),
      { symbol: "I", meaning: t("input of one step"), value: size.inputs, unit: "bytes" },
      { symbol: "b", meaning: t("batches in pinned memory"), value: batches, unit: "count" },
    ],
    notes: [
      ...(unknown ? [t("What the workers hold could not be read, so their part is missing: it would be more.")] : []),
      t("With num_workers=0 the script loads each batch itself, so a step waits for it."),
      ...(context.sharedMemory
        ? [t("On a board whose CPU and GPU share the memory, pinned memory saves no copy that matters.")]
        : []),
      ...(pinned === undefined
        ? []
        : [
            t(
              "{0}:{1} asks for pinned memory; how many batches wait in it is taken from DataLoader's defaults.",
              pinned.path,
              pinned.line,
            ),
          ]),
    ],
    verify: { kind: "edit", code: "loader = DataLoader(dataset, batch_size=…, num_workers=0, pin_memory=False)" },
  };
};
