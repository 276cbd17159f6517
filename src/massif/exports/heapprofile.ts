/** A snapshot as a `.heapprofile`: V8's sampling heap profile, which Chrome's developer tools and VS Code open. */

import type { Frame, FrameTree } from "../model.ts";
import { fullName } from "../tree/frameNames.ts";
import { inPieces } from "./pieces.ts";

/** @param tree callers first, and not a difference */
export function heapProfile(tree: FrameTree): Generator<string> {
  return inPieces(file(tree));
}

function* file(tree: FrameTree): Generator<string> {
  const callFrames = tree.frames.map((frame) => JSON.stringify(callFrame(frame)));
  const open: number[] = [];
  yield '{"head":';
  for (let node = 0; node < tree.frame.length; node++) {
    const parent = tree.parent[node] ?? 0;
    while (open.length > 0 && open.at(-1) !== parent) {
      open.pop();
      yield "]}";
    }
    const isFirst = node === 0 || parent === node - 1;
    const frame = callFrames[tree.frame[node] ?? 0] ?? "";
    yield `${isFirst ? "" : ","}{"callFrame":${frame},"selfSize":${tree.self[node] ?? 0},"id":${node + 1},"children":[`;
    open.push(node);
  }
  yield "]}".repeat(open.length);
  yield ',"samples":[]}\n';
}

/** Lines count from 0; -1 where there is none. */
function callFrame(frame: Frame): object {
  const python = frame.kind === "python" ? frame : undefined;
  return {
    functionName: frame.kind === "all" ? "(root)" : python === undefined ? fullName(frame) : python.function,
    scriptId: "0",
    url: python?.path ?? "",
    lineNumber: python?.exact ? python.line - 1 : -1,
    columnNumber: -1,
  };
}
