/** A snapshot for https://www.speedscope.app, in its own format (file-format-schema.json). */

import type { Frame, FrameTree } from "../model.ts";
import { fullName } from "../tree/frameNames.ts";
import { inPieces } from "./pieces.ts";

/**
 * The stacks as one profile whose clock counts bytes: a frame is open for as many as were allocated below it.
 * @param tree not a difference, whose bytes may be negative
 */
export function speedscope(tree: FrameTree, { name }: { readonly name: string }): Generator<string> {
  return inPieces(file(tree, name));
}

function* file(tree: FrameTree, name: string): Generator<string> {
  // Bytes of which no stack is known are a frame of their own; the root itself is none.
  const unknown: Frame = { kind: "native", interpreter: false };
  const unknownBytes = tree.self[0] ?? 0;
  const total = tree.total[0] ?? 0;
  const frames = unknownBytes === 0 ? tree.frames : [...tree.frames, unknown];
  yield '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[';
  yield* separated(frames.map((frame) => JSON.stringify(sharedFrame(frame))));
  yield `]},"profiles":[{"type":"evented","name":${JSON.stringify(name)},"unit":"bytes","startValue":0,`;
  yield `"endValue":${total},"events":[`;
  yield* separated(events(tree, unknownBytes === 0 ? undefined : frames.length - 1));
  yield `]}],"name":${JSON.stringify(name)},"activeProfileIndex":0,"exporter":"Jetson Memory Profiler"}\n`;
}

function sharedFrame(frame: Frame): { name: string; file?: string; line?: number } {
  if (frame.kind !== "python") return { name: fullName(frame) };
  return { name: fullName(frame), file: frame.path, ...(frame.exact ? { line: frame.line } : {}) };
}

function* events(tree: FrameTree, unknownFrame: number | undefined): Generator<string> {
  /** Open nodes, and the place at which each closes. */
  const open: number[] = [];
  const closesAt: number[] = [];
  let at = 0;
  const close = function* () {
    const node = open.pop() ?? 0;
    at = closesAt.pop() ?? at;
    yield event("C", tree.frame[node] ?? 0, at);
  };
  for (let node = 1; node < tree.frame.length; node++) {
    const total = tree.total[node] ?? 0;
    if (total === 0) continue;
    while (open.length > 0 && open.at(-1) !== tree.parent[node]) yield* close();
    yield event("O", tree.frame[node] ?? 0, at);
    open.push(node);
    closesAt.push(at + total);
  }
  while (open.length > 0) yield* close();
  if (unknownFrame === undefined) return;
  yield event("O", unknownFrame, at);
  yield event("C", unknownFrame, tree.total[0] ?? 0);
}

function event(type: "O" | "C", frame: number, at: number): string {
  return `{"type":"${type}","frame":${frame},"at":${at}}`;
}

function* separated(parts: Iterable<string>): Generator<string> {
  let separator = "";
  for (const part of parts) {
    yield separator + part;
    separator = ",";
  }
}
