/** A snapshot's frames as the page has them: with the lines of the project that can be opened. */
import { defined } from "../../profile/defined.ts";
import type { Place, SnapshotFrame, SnapshotStack, WireAllocatorState } from "../../protocol/torch/snapshot.ts";
import type { MemoryFrame } from "../../torch/snapshot/frames.ts";
import type { Snapshot } from "../../torch/snapshot/model.ts";
import type { ProjectFiles } from "../../torch/snapshot/projectFiles.ts";
import { frameOf, framesOf, isPythonFile, operationOf } from "../../torch/snapshot/stackLines.ts";
import { phrase, say } from "../../words/t.ts";

export interface SnapshotPlaces {
  /** Absent for what is no Python, or has no file. */
  place(frame: MemoryFrame): Place | undefined;
  stack(stack: number): SnapshotStack;
  /** What the numbers stand for that occur in a column of stacks, each once. */
  names(stacks: Iterable<number>): WireAllocatorState["stacks"];
}

/** A path that is longer than any file system's is nobody's file. */
const LONGEST_PATH = 4096;
const NO_NAME = phrase("unknown function");

export function createSnapshotPlaces(snapshot: Snapshot, { inProject, pathOf }: ProjectFiles): SnapshotPlaces {
  function place(frame: MemoryFrame): Place | undefined {
    if (!isPythonFile(frame) || frame.file.length > LONGEST_PATH) return undefined;
    return { path: pathOf(frame.file), line: frame.line };
  }

  function line(frames: readonly MemoryFrame[]): { readonly frame: MemoryFrame; readonly place: Place } | undefined {
    const frame = frameOf(frames, (file) => inProject(file) !== undefined);
    const found = frame && place(frame);
    return frame && found && { frame, place: found };
  }

  function wireFrame(frame: MemoryFrame): SnapshotFrame {
    const found = place(frame);
    const source = found === undefined ? sourceOf(frame) : undefined;
    return {
      name: frame.name === "" ? say(NO_NAME) : frame.name,
      ...defined({ place: found, source }),
    };
  }

  return {
    place,
    stack(stack) {
      const frames = framesOf(snapshot, stack);
      const found = line(frames);
      return { frames: frames.map(wireFrame), ...defined({ line: found?.place }) };
    },
    names(stacks) {
      const used = [...new Set(stacks)].filter((stack) => stack >= 0);
      return used.map((stack) => {
        const frames = framesOf(snapshot, stack);
        const found = line(frames);
        const name = found?.frame.name ?? operationOf(frames) ?? "";
        return {
          stack,
          name: name === "" ? say(NO_NAME) : name,
          ...defined({ line: found?.place }),
        };
      });
    },
  };
}

/** PyTorch writes `??` where it does not know. */
function sourceOf({ file, line }: MemoryFrame): string | undefined {
  if (file === "" || file === "??") return undefined;
  return line > 0 ? `${file}:${line}` : file;
}
