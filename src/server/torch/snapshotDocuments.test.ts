import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeProject, runFiles } from "../../profile/testing.ts";
import { readToSnapshotPage, type SnapshotAnswer, type SnapshotQuery } from "../../protocol/torch/snapshot.ts";
import { pickle } from "../../torch/pickle/testing.ts";
import { annotations, smallSnapshot, trainingSnapshot } from "../../torch/snapshot/testing.ts";
import { createSnapshotDocuments, type SnapshotDocuments } from "./snapshotDocuments.ts";

const MIB = 1024 * 1024;
const never = new AbortController().signal;

let run: string;
let file: string;
let remove: () => void;
let documents: SnapshotDocuments;

beforeEach(() => {
  ({ run, remove } = makeProject(runFiles()));
  file = path.join(run, "allocator.10.0.pickle");
  fs.writeFileSync(file, pickle(smallSnapshot()));
  documents = createSnapshotDocuments();
});
afterEach(() => remove());

async function ask<About extends SnapshotQuery["about"]>(
  query: Extract<SnapshotQuery, { about: About }>,
): Promise<Extract<SnapshotAnswer, { about: About }>> {
  const answer = await documents.answer(file, query, never);
  // It must be what the page takes.
  expect(readToSnapshotPage({ kind: "answer", request: 1, answer })).toBeDefined();
  if (answer.about !== query.about) throw new Error("This answers another question.");
  return answer as Extract<SnapshotAnswer, { about: About }>;
}

const buffer = (text: string) => new Uint8Array(Buffer.from(text, "base64")).buffer;
const floats = (text: string) => [...new Float64Array(buffer(text))];
const mib = (text: string) => floats(text).map((size) => size / MIB);
const counts = (text: string) => [...new Uint32Array(buffer(text))];

describe("a snapshot's document", () => {
  it("has the totals, the maximum, the requests that failed and the settings, with what its run knows", async () => {
    const document = await documents.document(file, never);
    expect(readToSnapshotPage({ kind: "document", document })).toEqual({ kind: "document", document });
    expect(document.title).toMatch(/train\.py.*, allocator\.10\.0\.pickle$/);
    expect(document.settings).toContainEqual({ name: "expandable_segments", value: "false" });
    const [device] = document.devices;
    expect(device).toMatchObject({
      device: 0,
      events: 9,
      duration: 7,
      maximum: { moment: 2, bytes: 20 * MIB },
      totals: { reserved: 22 * MIB, allocated: 7 * MIB, inactiveSplit: 15 * MIB, largestFree: 8 * MIB },
      outOfMemoryMore: 0,
      parts: [],
      partsMore: 0,
    });
    expect(device?.outOfMemory).toHaveLength(1);
    expect(device?.outOfMemory[0]).toMatchObject({
      moment: 4,
      requested: 16 * MIB,
      deviceFree: 3 * MIB,
      held: 14 * MIB,
      stack: { line: { path: "net.py", line: 12 } },
    });
    expect(document.notes).toEqual([
      "2 allocations were made before the first recorded event. Those that were freed since have no stack.",
    ]);
  });

  it("has the parts of the program that record_function named", async () => {
    fs.writeFileSync(file, pickle({ ...smallSnapshot(), external_annotations: annotations() }));
    const document = await documents.document(file, never);
    expect(readToSnapshotPage({ kind: "document", document })).toEqual({ kind: "document", document });
    expect(document.devices[0]).toMatchObject({
      parts: [
        { name: "before", to: 2 },
        { name: "step", from: 0 },
        { name: "forward", from: 1, to: 2 },
      ],
      partsMore: 0,
    });
  });

  it("of a file outside of any run has the file's name, and paths as they were recorded", async () => {
    file = path.join(run, "..", "elsewhere.pickle");
    fs.writeFileSync(file, pickle(smallSnapshot()));
    const document = await documents.document(file, never);
    expect(document.title).toBe("elsewhere.pickle");
    expect(document).not.toHaveProperty("board");
    expect(document.devices[0]?.outOfMemory[0]?.stack.line?.path).toBe("/home/nano/project/net.py");
  });

  it("says that there are no events, or nothing at all", async () => {
    fs.writeFileSync(file, pickle({ segments: smallSnapshot().segments }));
    expect((await documents.document(file, never)).notes).toEqual([
      "The file has no events, only what was live when the snapshot was taken.",
    ]);
    fs.writeFileSync(file, pickle({ segments: [] }));
    const nothing = await documents.document(file, never);
    expect(nothing.devices).toEqual([]);
    expect(nothing.notes[0]).toContain("held no CUDA memory");
  });

  it("is read again when its file was replaced, and its file can be refused", async () => {
    await documents.document(file, never);
    fs.writeFileSync(`${file}.new`, "cos\nsystem\n(S'rm'\ntR.");
    fs.renameSync(`${file}.new`, file);
    await expect(documents.document(file, never)).rejects.toMatchObject({ code: "pickle-foreign" });
    fs.rmSync(file);
    await expect(documents.document(file, never)).rejects.toMatchObject({ code: "snapshot-unreadable" });
  });

  it("is not read on when nobody wants it any more, but is for who still does", async () => {
    fs.writeFileSync(file, pickle(trainingSnapshot({ seed: 1, events: 20_000, frames: 20, places: 50 })));
    const [first, second] = [new AbortController(), new AbortController()];
    const both = [documents.document(file, first.signal), documents.document(file, second.signal)];
    first.abort(new Error("not wanted"));
    await Promise.allSettled(both);
    await expect(both[1]).resolves.toMatchObject({ devices: [{ device: 0 }] });
    fs.writeFileSync(file, pickle(trainingSnapshot({ seed: 2, events: 20_000, frames: 20, places: 50 })));
    const third = new AbortController();
    const alone = documents.document(file, third.signal);
    third.abort(new Error("not wanted"));
    await expect(alone).rejects.toThrow("not wanted");
    await expect(documents.document(file, never)).resolves.toMatchObject({ devices: [{ device: 0 }] });
  });
});

describe("what the page asks of a snapshot", () => {
  it("memory over a range: layers and the rest make the total at each moment", async () => {
    const { memory } = await ask({ about: "memory", device: 0, from: 0, to: 9, layers: 3, points: 100 });
    expect(counts(memory.moment)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(mib(memory.total)).toEqual([12, 18, 20, 20, 14, 14, 14, 15, 15, 7]);
    expect(mib(memory.rest)).toEqual([0, 0, 2, 2, 2, 2, 2, 3, 3, 3]);
    expect(floats(memory.t).slice(0, 3)).toEqual([0, 0, 1]);
    expect(mib(memory.layers.size)).toEqual([4, 8, 6]);
    expect(counts(memory.layers.start)).toEqual([0, 0, 1]);
    expect(counts(memory.layers.end)).toEqual([10, 9, 4]);
    expect(memory.others).toBe(2);
    expect(memory.stacks.map(({ name, line }) => `${name} ${line?.path}:${line?.line}`).sort()).toEqual([
      "<module> train.py:33",
      "forward net.py:12",
    ]);
  });

  it("segments and blocks at a moment, with addresses as text", async () => {
    const { state } = await ask({ about: "state", device: 0, moment: 8 });
    expect(state.segments).toEqual([
      { address: "0x7f0000000000", size: 20 * MIB, type: "large", stream: "0", expandable: false, held: 14 * MIB },
      {
        address: "0x7f0004000000",
        size: 2 * MIB,
        type: "small",
        stream: "0",
        pool: "0, 7",
        expandable: false,
        held: MIB,
      },
    ]);
    expect(mib(state.blocks.offset)).toEqual([0, 8, 18, 0]);
    expect(counts(state.blocks.segment)).toEqual([0, 0, 0, 1]);
    // The first is freed by then, and not given back.
    expect([...new Uint8Array(buffer(state.blocks.state))]).toEqual([1, 0, 0, 0]);
    expect(state.homeless).toEqual({ blocks: 0, bytes: 0 });
  });

  it("live bytes as a tree whose Python frames are places of the project", async () => {
    const { tree } = await ask({ about: "tree", device: 0, moment: 2, frames: "python" });
    expect(mib(tree.bytes)[0]).toBe(20);
    expect(tree.labels).toHaveLength(4);
    expect(tree.labels).toContain("no stack was recorded");
    expect(tree.python.map(({ place }) => place.path).sort()).toEqual([
      "/usr/lib/python3/dist-packages/torch/nn/modules/module.py",
      "net.py",
      "train.py",
    ]);
  });

  it("one allocation with its stack and its life", async () => {
    const { allocation } = await ask({ about: "allocation", device: 0, allocation: 2 });
    expect(allocation).toMatchObject({
      address: "0x7f0000c00000",
      size: 6 * MIB,
      start: 1,
      end: 4,
      duration: 3,
      stack: { line: { path: "net.py", line: 12 } },
    });
    expect(allocation).not.toHaveProperty("block");
    expect(allocation.stack.frames[0]).toEqual({ name: "at::empty(c10::ArrayRef<long>)" });
    const { allocation: old } = await ask({ about: "allocation", device: 0, allocation: 0 });
    expect(old).toMatchObject({ block: 4 * MIB });
    expect(old).not.toHaveProperty("start");
    expect(old).not.toHaveProperty("end");
  });

  it("what is not there is said to be gone", async () => {
    const gone = { code: "snapshot-changed" };
    await expect(documents.answer(file, { about: "state", device: 3, moment: 0 }, never)).rejects.toMatchObject(gone);
    await expect(
      documents.answer(file, { about: "allocation", device: 0, allocation: 99 }, never),
    ).rejects.toMatchObject(gone);
    // A moment behind the end is the end.
    const { state } = await ask({ about: "state", device: 0, moment: 999 });
    expect(state.segments.map(({ held }) => held / MIB)).toEqual([6, 1]);
  });
});
