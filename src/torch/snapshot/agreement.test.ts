/** What is read, against Python's own pickle: of files that our generator wrote, and of real ones where they are at hand. */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pickle } from "../pickle/testing.ts";
import { deviceMemories } from "./deviceMemory.ts";
import { ACTIONS, type Snapshot } from "./model.ts";
import { readSnapshot } from "./reading/readSnapshot.ts";
import { trainingSnapshot } from "./testing.ts";

const fixtures = fileURLToPath(new URL("../../../../shared/fixtures/torch_snapshots/", import.meta.url));
const REAL = ["kk_ctx128_forward.pickle", "wedsonlin_medium128_training.pickle"];

const PROGRAM = `
import collections, json, pickle, sys
with open(sys.argv[1], "rb") as file:
    snapshot = pickle.load(file)
segments = snapshot["segments"]
blocks = [block for segment in segments for block in segment["blocks"]]
active = [block for block in blocks if block["state"] != "inactive"]
events = snapshot["device_traces"][0]
frames = lambda parts: [[frame["name"], frame["filename"], frame["line"]] for frame in parts]
print(json.dumps({
    "reserved": sum(segment["total_size"] for segment in segments),
    "allocated": sum(segment["allocated_size"] for segment in segments),
    "active": sum(segment["active_size"] for segment in segments),
    "requested": sum(segment["requested_size"] for segment in segments),
    "requestedByBlocks": sum(block["requested_size"] for block in active),
    "blocks": [[str(block["address"]), block["size"], block["state"]] for block in blocks],
    "actions": collections.Counter(event["action"] for event in events),
    "events": [[str(event["addr"]), event["size"], event["time_us"]] for event in events],
    "firstStack": frames(events[0]["frames"]), "lastStack": frames(events[-1]["frames"]),
    "stacks": len(set(json.dumps(frames(part["frames"])) for part in events + active if part["frames"])),
}))
`;

/** The same figures from what we read. */
function figures(snapshot: Snapshot) {
  const [table] = snapshot.events;
  const [memory] = deviceMemories(snapshot);
  if (table === undefined || memory === undefined) throw new Error("It has no device.");
  const stackOf = (event: number) => {
    const places = snapshot.stacks[table.stack[event] ?? -1] ?? [];
    return places.map((place) => snapshot.frames[place]).map((frame) => [frame?.name, frame?.file, frame?.line]);
  };
  const actions: Record<string, number> = {};
  for (const action of table.action) actions[ACTIONS[action] ?? ""] = (actions[ACTIONS[action] ?? ""] ?? 0) + 1;
  const { totals } = memory;
  const blocks = snapshot.segments.flatMap((segment) => segment.blocks);
  return {
    reserved: totals.reserved,
    allocated: totals.allocated,
    active: totals.active,
    requested: totals.requested,
    requestedByBlocks: memory.held.at(-1),
    blocks: blocks.map(({ address, size, state }) => [String(address), size, state]),
    actions,
    events: Array.from(table.address, (address, event) => [String(address), table.size[event], table.timeUs[event]]),
    firstStack: stackOf(0),
    lastStack: stackOf(table.action.length - 1),
    stacks: snapshot.stacks.length,
  };
}

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "snapshot-agreement-"));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function check(file: string): void {
  const { stdout, stderr } = spawnSync("python3", ["-c", PROGRAM, file], { encoding: "utf8", maxBuffer: 2 ** 28 });
  expect(stdout, stderr).not.toBe("");
  expect(figures(readSnapshot(fs.readFileSync(file)))).toEqual(JSON.parse(stdout));
}

const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe("a snapshot, as Python reads it", () => {
  it.skipIf(!hasPython)("has the same figures here: generated ones (skipped where there is no python3)", () => {
    for (const [seed, protocol] of [
      [1, 4],
      [2, 5],
      [3, 2],
    ] as const) {
      const file = path.join(folder, `generated.${seed}.pickle`);
      fs.writeFileSync(file, pickle(trainingSnapshot({ seed, events: 3_000, frames: 20, places: 50 }), protocol));
      check(file);
    }
  });

  it.skipIf(!hasPython || !fs.existsSync(fixtures)).each(REAL)("has the same figures here: the real %s", (name) => {
    check(path.join(fixtures, name));
  });
});

describe.skipIf(!fs.existsSync(fixtures))("a real snapshot", () => {
  it.each(REAL)("adds up in itself: %s", (name) => {
    const snapshot = readSnapshot(fs.readFileSync(path.join(fixtures, name)));
    expect(snapshot.problems).toEqual([]);
    const [memory] = deviceMemories(snapshot);
    expect(memory?.allocations.problems).toEqual([]);
    expect(memory?.held.at(-1)).toBe(memory?.totals.requested);
    expect(memory?.totals.reserved).toBe(
      (memory?.totals.active ?? 0) + (memory?.totals.inactiveSplit ?? 0) + (memory?.totals.cached ?? 0),
    );
  });
});
