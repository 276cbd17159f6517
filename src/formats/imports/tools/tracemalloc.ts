/**
 * Snapshots that `tracemalloc.Snapshot.dump` wrote (Python 3.6 to 3.13): a pickle of a Snapshot, whose `traces` is a
 * _Traces, whose `_traces` is a list of (domain, size, frames[, total_nframe]). Frames are (file, line), the innermost
 * first. Nothing is unpickled: the two classes are read as data, and every other one is refused.
 */

import { formatCount } from "../../../profile/text/format.ts";
import { UserError } from "../../../profile/userError.ts";
import { createBudget } from "../../../torch/pickle/limits.ts";
import { createUnpickler } from "../../../torch/pickle/unpickler.ts";
import { PickleDict, PickleList, PickleObject, PickleTuple, type PickleValue } from "../../../torch/pickle/values.ts";
import { phrase, t } from "../../../words/t.ts";
import { damagedFile, type Importer, importedRun, nothingFound } from "../importer.ts";
import { placeFiles } from "../places.ts";
import { addTo, type Blocks, blocksByFile, type Place } from "./stacks.ts";

const CLASSES = new Set(["tracemalloc.Snapshot", "tracemalloc._Traces"]);
const CHUNK_BYTES = 1024 * 1024;

export const importTracemalloc: Importer = (content, context) => {
  const snapshot = stateOf(unpickled(content, context.file), "tracemalloc.Snapshot", context.file);
  const limit = snapshot.get("traceback_limit");
  const list = stateOf(snapshot.get("traces"), "tracemalloc._Traces", context.file).get("_traces");
  if (!(list instanceof PickleList) && !(list instanceof PickleTuple))
    throw damagedFile(context.file, t("it has no list of traces"));
  const known = limit === 1 ? "one" : "all";
  const blocks: Blocks = new Map();
  const stacks = new Map<PickleTuple, readonly Place[]>();
  let damaged = 0;
  for (const trace of list.items) {
    const [, size, frames] = trace instanceof PickleTuple ? trace.items : [];
    if (typeof size !== "number" || size < 0 || !(frames instanceof PickleTuple)) {
      damaged++;
      continue;
    }
    const places = stacks.get(frames) ?? framesOf(frames);
    stacks.set(frames, places);
    addTo(blocks, places, size, known);
  }
  if (blocks.size === 0 && list.items.length === damaged)
    throw nothingFound(context.file, t("the snapshot has no traces."));
  const placed = placeFiles(blocksByFile(blocks), context);
  return importedRun(context, {
    from: {
      format: "tracemalloc",
      measures: phrase("blocks of Python's allocators that were live when the snapshot was taken (tracemalloc)").text,
    },
    files: placed,
    notes: [
      t(
        "tracemalloc sees what was allocated through Python's allocators, as NumPy does too; not what C and C++ code such as PyTorch's takes by itself.",
      ),
      ...(known === "one"
        ? [
            t(
              "The snapshot has one frame for each block, so blocks that libraries allocated for a line are not among its figures (tracemalloc.start(25) keeps more frames).",
            ),
          ]
        : []),
      ...(damaged > 0 ? [t("{0} traces could not be read and were left out.", formatCount(damaged))] : []),
      t("tracemalloc does not report how often lines ran."),
    ],
  });
};

function unpickled(content: Uint8Array, file: string): PickleValue {
  const unpickler = createUnpickler({
    fold: (container) => container,
    budget: createBudget(),
    texts: [],
    classes: CLASSES,
  });
  try {
    for (let at = 0; at < content.length; at += CHUNK_BYTES) unpickler.push(content.subarray(at, at + CHUNK_BYTES));
    return unpickler.finish().value;
  } catch (error) {
    throw error instanceof UserError ? asImportError(error, file) : error;
  }
}

/** The reader's words are about PyTorch's snapshots where they say what to do; in English they become a clause. */
function asImportError(error: UserError, file: string): UserError {
  const what =
    error.code === "pickle-foreign"
      ? t("it is not a pickle, which a snapshot of tracemalloc is")
      : error.message
          .replace(/[.。]$/, "")
          .replace(/^The file /, "it ")
          .replace(/^What the file/, "what it");
  const hint =
    error.code === "pickle-refused"
      ? t(
          "A snapshot of tracemalloc has no such instruction. Do not open this file with Python's pickle unless you trust whoever made it.",
        )
      : error.code === "pickle-too-large"
        ? t(
            "Filter the snapshot before it is dumped (Snapshot.filter_traces), or keep fewer frames (tracemalloc.start(1)).",
          )
        : t("Write it again with tracemalloc.take_snapshot().dump(file).");
  return new UserError("import-damaged", t("{0} cannot be imported: {1}.", file, what), hint, { cause: error });
}

function stateOf(value: PickleValue | undefined, name: string, file: string): PickleDict {
  if (value instanceof PickleObject && value.name === name && value.state instanceof PickleDict) return value.state;
  throw damagedFile(file, t("it holds no {0}, as a snapshot of tracemalloc does", name));
}

function framesOf(frames: PickleTuple): Place[] {
  return frames.items.flatMap((frame) => {
    const [name, line] = frame instanceof PickleTuple ? frame.items : [];
    return typeof name === "string" && typeof line === "number" ? [{ name, line }] : [];
  });
}
