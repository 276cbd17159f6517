import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeProject, runFiles } from "../../../profile/testing.ts";
import { pickle } from "../../../torch/pickle/testing.ts";
import { annotations, smallSnapshot } from "../../../torch/snapshot/testing.ts";
import { collected } from "../../terminal/testing.ts";
import { showSnapshot } from "./snapshotCommand.ts";
import { parseSnapshot, type SnapshotCommand } from "./snapshotCommandLine.ts";

let project: string;
let run: string;
let file: string;
let remove: () => void;

beforeEach(() => {
  ({ project, run, remove } = makeProject(runFiles()));
  file = path.join(run, "allocator.10.0.pickle");
  fs.writeFileSync(file, pickle(smallSnapshot()));
});
afterEach(() => remove());

async function printed(...options: string[]): Promise<string> {
  const command = parseSnapshot(options);
  if (command === undefined) throw new Error("This asks for help.");
  const output = collected();
  await showSnapshot(command, output, {});
  return output.text();
}

describe("the command line of snapshot", () => {
  it("has the moment of the maximum and fifteen lines unless told otherwise", () => {
    const command: SnapshotCommand = { kind: "snapshot", subject: "a.pickle", at: "max", top: 15, json: false };
    expect(parseSnapshot(["a.pickle"])).toEqual(command);
    expect(parseSnapshot(["last", "--at", "120", "--device=1", "--top", "3", "--json", "--project", "p"])).toEqual({
      kind: "snapshot",
      subject: "last",
      at: 120,
      device: 1,
      top: 3,
      json: true,
      project: "p",
    });
    expect(parseSnapshot(["-h"])).toBeUndefined();
  });

  it.each([
    [[], "Name a snapshot"],
    [["a", "b"], '"b" is one too many'],
    [["a", "--at", "peak"], '--at takes "max", "end", "oom" or a number of events, not "peak"'],
    [["a", "--top", "-1"], "--top"],
    [["a", "--device", "x"], "--device takes a number"],
  ])("refuses %j", (argv, message) => {
    expect(() => parseSnapshot(argv)).toThrow(message);
  });
});

describe("snapshot", () => {
  it("prints the totals, the maximum, what failed, and the lines that held the memory", async () => {
    const text = await printed(file);
    expect(text.replace(/^.*allocator\.10\.0\.pickle/, "FILE")).toBe(`FILE

Device 0, when the snapshot was taken
22.0 MiB  Reserved      what PyTorch took from CUDA, in 2 segments
 7.0 MiB  Allocated     what tensors hold
 7.0 MiB  Requested     what the program asked for, before rounding
15.0 MiB  Fragments     free parts of segments that are in use: PyTorch cannot give them back
     0 B  Cached        segments that are wholly free
 8.0 MiB  Largest free  the largest free block: what is larger needs more memory from CUDA
Maximum: 20.0 MiB as requested, after event 2 of 9, 1.0 ms after the first one.
Out of memory after event 4 of 9, 3.0 ms after the first one: 16.0 MiB requested while 14.0 MiB were held, CUDA had 3.0 MiB free, at net.py:12 (forward).

Live after event 2 of 9, 1.0 ms after the first one: 20.0 MiB as requested
   Live   Share  Blocks  Line or operation
8.0 MiB  40.0 %       2  net.py:12 forward
4.0 MiB  20.0 %       1  train.py:33 <module>
8.0 MiB  40.0 %          no stack was recorded
`);
  });

  it("says which parts of the program record_function named, and within which the maximum lies", async () => {
    fs.writeFileSync(file, pickle({ ...smallSnapshot(), external_annotations: annotations() }));
    expect(await printed(file)).toContain(`
The maximum lies within before › step › forward.

Parts of the program, as record_function names them
From event  Times  Most left  Part of the program
         –      1          –  before
         0      1          –  step
         1      1   +2.0 MiB  forward
Out of memory`);
    const { devices } = JSON.parse(await printed(file, "--json")) as { devices: object[] };
    expect(devices[0]).toMatchObject({
      annotations: [
        { name: "before", to_event: 2, held_after_bytes: 20 * 2 ** 20 },
        { name: "step", from_event: 0, held_before_bytes: 12 * 2 ** 20 },
        { name: "forward", from_event: 1, to_event: 2 },
      ],
      annotations_more: 0,
    });
  });

  it("compares with another snapshot, line by line at the maximum of each", async () => {
    const other = path.join(run, "allocator.9.0.pickle");
    const { device_traces: traces, ...rest } = smallSnapshot();
    // The same without its first allocation of the trace: 12 MiB instead of 20 at the most.
    fs.writeFileSync(other, pickle({ ...rest, device_traces: traces }));
    const same = await printed(file, "--compare", other);
    expect(same.slice(same.indexOf("Compared with"))).toBe(`Compared with ${other}
Maximum there: 20.0 MiB as requested, after event 2 of 9, 1.0 ms after the first one.
Live there after event 2 of 9, 1.0 ms after the first one: 20.0 MiB as requested
More here     Here    There  Line or operation
      0 B  8.0 MiB  8.0 MiB  net.py:12 forward
      0 B  4.0 MiB  4.0 MiB  train.py:33 <module>
      0 B  8.0 MiB  8.0 MiB  no stack was recorded (no line)
`);
    fs.writeFileSync(other, pickle({ segments: smallSnapshot().segments }));
    const text = await printed(file, "--compare", other);
    expect(text).toContain("Live there after event 0 of 0: 7.0 MiB as requested");
    const { devices } = JSON.parse(await printed(file, "--compare", other, "--json")) as {
      readonly devices: readonly { readonly compared: { readonly lines: readonly object[] } }[];
    };
    expect(devices[0]?.compared).toMatchObject({
      path: other,
      maximum: { after_event: 0, requested_bytes: 7 * 2 ** 20 },
      at: { requested_bytes: 7 * 2 ** 20 },
    });
    fs.writeFileSync(other, pickle({ segments: [] }));
    expect(await printed(file, "--compare", other)).toContain("It has nothing of device 0 at such a moment.");
  });

  it("takes the newest snapshot of a run, and says that there are more", async () => {
    const { segments } = smallSnapshot();
    fs.writeFileSync(path.join(run, "allocator.10.1.pickle"), pickle({ segments }));
    const text = await printed("last", "--project", project, "--top", "1");
    expect(text).toContain("allocator.10.1.pickle");
    expect(text).toContain("Note: The run has more snapshots: allocator.10.0.pickle.");
    expect(text).toContain("The file has no events");
    expect(text).not.toContain("Taken");
    expect(text).toContain("others");
  });

  it("knows from the run which snapshot is the newest, when it was taken and why; of one that was replaced, the last", async () => {
    fs.writeFileSync(path.join(run, "allocator.10.1.pickle"), fs.readFileSync(file));
    const record = (name: string, t: number, why: string) =>
      JSON.stringify({ record: "snapshot", t, pid: 10, file: name, size: 1, why, history: "all", entries: 9 });
    const lines = [
      JSON.stringify({ schema: 1, record: "header" }),
      record("allocator.10.0.pickle", 1000, "checkpoint"),
      record("allocator.10.1.pickle", 61_000, "oom"),
      "{damaged",
      record("allocator.10.0.pickle", 62_000, "checkpoint"),
    ];
    fs.writeFileSync(path.join(run, "allocator.jsonl"), `${lines.join("\n")}\n`);
    const text = await printed("last", "--project", project);
    expect(text).toContain(
      "allocator.10.0.pickle\nTaken 1 min 2 s after the run's start, as one is taken from time to time.",
    );
    const json = JSON.parse(await printed("last", "--project", project, "--json")) as object;
    expect(json).toMatchObject({ file: { taken: { t_ms: 62_000, why: "checkpoint" } } });
  });

  it("prints the figures of another moment, and as JSON", async () => {
    expect(await printed(file, "--at", "end")).toContain(
      "Live after event 9 of 9, 7.0 ms after the first one: 7.0 MiB",
    );
    const json = JSON.parse(await printed(file, "--at", "oom", "--json")) as { devices: object[] };
    expect(json).toMatchObject({ schema: 1, problems: [], file: { settings: { expandable_segments: "false" } } });
    expect(json.devices).toHaveLength(1);
    expect(json.devices[0]).toMatchObject({
      device: 0,
      totals: { segments: 2, reserved_bytes: 23068672, inactive_split_bytes: 15728640, cached_bytes: 0 },
      events: 9,
      maximum: { after_event: 2, requested_bytes: 20971520, t_ms: 1 },
      out_of_memory: [
        {
          after_event: 4,
          tried_bytes: 16777216,
          device_free_bytes: 3145728,
          at: { path: "net.py", line: 12, function: "forward" },
        },
      ],
      at: { after_event: 4, requested_bytes: 14680064 },
      lines: [
        { path: "train.py", line: 33, function: "<module>", allocations: 1, requested_bytes: 4194304 },
        { path: "net.py", line: 12, requested_bytes: 2097152 },
      ],
      operations: [],
      without_stack_bytes: 8388608,
    });
  });

  it("says what is not there, and what to do", async () => {
    await expect(printed(file, "--at", "10")).rejects.toMatchObject({ code: "no-such-moment" });
    await expect(printed(file, "--device", "2")).rejects.toMatchObject({
      code: "no-such-device",
      hint: "It has these devices: 0.",
    });
    fs.writeFileSync(file, pickle({ segments: [] }));
    await expect(printed(file, "--at", "oom")).rejects.toMatchObject({ code: "no-such-moment" });
    expect(await printed(file)).toContain("PyTorch held no CUDA memory");
    fs.rmSync(file);
    await expect(printed("last", "--project", project)).rejects.toMatchObject({ code: "no-snapshot" });
    await expect(printed("missing.pickle")).rejects.toMatchObject({ code: "snapshot-unreadable" });
  });

  it("executes nothing: a pickle that names a function is refused", async () => {
    fs.writeFileSync(file, Buffer.from("\x80\x04cos\nsystem\n\x8c\x05touch\x85R.", "latin1"));
    await expect(printed(file)).rejects.toMatchObject({
      code: "pickle-refused",
      message: expect.stringContaining("GLOBAL, which could run a program"),
    });
  });
});
