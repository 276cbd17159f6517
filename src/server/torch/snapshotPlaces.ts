/** A snapshot's frames as the page has them: with the lines of the project that can be opened. */
import * as path from "node:path";
import type { Place, SnapshotFrame, SnapshotStack, WireAllocatorState } from "../../protocol/snapshot.ts";
import type { MemoryFrame } from "../../torch/snapshot/frames.ts";
import type { Snapshot } from "../../torch/snapshot/model.ts";
import { frameOf, framesOf, isPythonFile } from "../../torch/snapshot/stackLines.ts";

export interface SnapshotPlaces {
  /** Absent for what is no Python, or has no file. */
  place(frame: MemoryFrame): Place | undefined;
  stack(stack: number): SnapshotStack;
  /** What the numbers stand for that occur in a column of stacks, each once. */
  names(stacks: Iterable<number>): WireAllocatorState["stacks"];
}

/** A path that is longer than any file system's is nobody's file. */
const LONGEST_PATH = 4096;
const NO_NAME = "unknown function";

/** @param projectRoot the project's folder on the board, where it is known */
export function createSnapshotPlaces(snapshot: Snapshot, projectRoot: string | undefined): SnapshotPlaces {
  const root = projectRoot === undefined ? undefined : `${path.posix.normalize(projectRoot).replace(/\/$/, "")}/`;

  /** A script that was started by a longer way has `..` in its frames. */
  function projectPath(file: string): string | undefined {
    const normal = path.posix.normalize(file);
    return root !== undefined && normal.startsWith(root) && normal.length > root.length
      ? normal.slice(root.length)
      : undefined;
  }

  function place(frame: MemoryFrame): Place | undefined {
    if (!isPythonFile(frame) || frame.file.length > LONGEST_PATH) return undefined;
    return { path: projectPath(frame.file) ?? path.posix.normalize(frame.file), line: frame.line };
  }

  function line(frames: readonly MemoryFrame[]): { readonly frame: MemoryFrame; readonly place: Place } | undefined {
    const frame = frameOf(frames, (file) => projectPath(file) !== undefined);
    const found = frame && place(frame);
    return frame && found && { frame, place: found };
  }

  function wireFrame(frame: MemoryFrame): SnapshotFrame {
    const found = place(frame);
    const source = found === undefined ? sourceOf(frame) : undefined;
    return {
      name: frame.name === "" ? NO_NAME : frame.name,
      ...(found === undefined ? {} : { place: found }),
      ...(source === undefined ? {} : { source }),
    };
  }

  return {
    place,
    stack(stack) {
      const frames = framesOf(snapshot, stack);
      const found = line(frames);
      return { frames: frames.map(wireFrame), ...(found === undefined ? {} : { line: found.place }) };
    },
    names(stacks) {
      const used = [...new Set(stacks)].filter((stack) => stack >= 0);
      return used.map((stack) => {
        const frames = framesOf(snapshot, stack);
        const found = line(frames);
        const name = (found?.frame ?? frames[0])?.name ?? "";
        return { stack, name: name === "" ? NO_NAME : name, ...(found === undefined ? {} : { line: found.place }) };
      });
    },
  };
}

/** PyTorch writes `??` where it does not know. */
function sourceOf({ file, line }: MemoryFrame): string | undefined {
  if (file === "" || file === "??") return undefined;
  return line > 0 ? `${file}:${line}` : file;
}
