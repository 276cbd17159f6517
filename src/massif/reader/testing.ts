/** For the tests of the reader: samples, and reading a file from memory. */
import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import type { CallTree, MassifFile } from "../model.ts";
import { createMassifReader } from "./massifReader.ts";
import { createTreeReader } from "./treeReader.ts";

const samples = fileURLToPath(new URL("../../../test/fixtures/massif/", import.meta.url));
export const SAMPLES = fs.readdirSync(samples).filter((name) => name.endsWith(".out"));
export const sampleFile = (name: string) => samples + name;
export const sample = (name: string) => new Uint8Array(fs.readFileSync(samples + name));

/** @param chunk bytes that are given to the reader at a time */
export function readMassif(bytes: Uint8Array | string, chunk = Number.POSITIVE_INFINITY): MassifFile {
  const reader = createMassifReader();
  for (const part of chunks(toBytes(bytes), chunk)) reader.push(part);
  return reader.end();
}

export function readTreeOf(bytes: Uint8Array | string, file: MassifFile, snapshot: number, chunk?: number): CallTree {
  const tree = file.snapshots[snapshot]?.tree;
  if (tree === undefined || tree.kind === "none") throw new Error(`Snapshot ${snapshot} has no tree.`);
  const reader = createTreeReader(tree.nodes);
  for (const part of chunks(toBytes(bytes).subarray(tree.start, tree.end), chunk ?? Number.POSITIVE_INFINITY)) {
    reader.push(part);
  }
  return reader.end();
}

function toBytes(bytes: Uint8Array | string): Uint8Array {
  return typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
}

/** Each in memory of its own that is overwritten afterwards, as a file's buffer is. */
function* chunks(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    const part = new Uint8Array(bytes.subarray(at, at + size));
    yield part;
    part.fill(0xff);
  }
}
