import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { peakOf } from "../trace/peak.ts";
import { readTrace } from "./readTrace.ts";

const FIXTURES = join(import.meta.dirname, "../../../test/fixtures/trace");
const STEP = join(FIXTURES, "step.pt.trace.json.gz");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trace-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

describe("a trace on disk", () => {
  it("that PyTorch wrote has the sums by operator that its profiler has itself", async () => {
    const trace = await readTrace(STEP);
    const [cpu] = trace.devices;
    const sums: Record<string, number> = {};
    for (const [event, call] of (cpu?.call ?? new Int32Array()).entries()) {
      const name = call < 0 ? "[memory]" : (trace.calls.name[call] ?? "");
      sums[name] = (sums[name] ?? 0) + (cpu?.bytes[event] ?? 0);
    }
    const expected: Record<string, number> = JSON.parse(readFileSync(join(FIXTURES, "step.averages.json"), "utf8"));
    expect(Object.fromEntries(Object.entries(sums).filter(([, bytes]) => bytes !== 0))).toEqual(expected);
    // What the trace says last is the sum of its changes.
    expect(cpu?.allocated.at(-1)).toBe(Object.values(expected).reduce((sum, bytes) => sum + bytes, 0));
    expect(cpu?.allocated[peakOf(cpu)]).toBeGreaterThan(900_000);
    expect(trace.problems).toEqual([]);
  });

  it("is the same packed and not packed, whatever its name", async () => {
    const plain = file("x.json.gz", gunzipSync(readFileSync(STEP)));
    expect(await readTrace(plain)).toEqual(await readTrace(STEP));
  });

  it("is read up to a limit, so that a few packed bytes cannot fill the memory", async () => {
    const event = '{"ph":"i","name":"[memory]","ts":1,"args":{"Bytes":8,"Device Type":0}},';
    const bomb = file("bomb.gz", gzipSync(`[${event}${" ".repeat(50_000_000)}${event}`));
    const trace = await readTrace(bomb, 1024 * 1024);
    expect(trace.devices[0]?.t).toHaveLength(1);
    expect(trace.problems).toEqual(["The trace is too large: only its first 1.0 MiB are shown. Record fewer steps."]);
  });

  it("that is damaged, missing or no file is refused in words", async () => {
    const packed = readFileSync(STEP);
    const damaged = file(
      "damaged.gz",
      Buffer.concat([packed.subarray(0, 200), Buffer.alloc(50, 7), packed.subarray(250)]),
    );
    await expect(readTrace(damaged)).rejects.toMatchObject({
      code: "trace-unreadable",
      message: expect.stringMatching(/damaged/),
    });
    await expect(readTrace(join(folder, "none.json"))).rejects.toMatchObject({ code: "trace-unreadable" });
    await expect(readTrace(folder)).rejects.toMatchObject({ code: "trace-unreadable" });
    await expect(readTrace(file("empty.json", ""))).rejects.toMatchObject({ code: "not-a-trace" });
    const timeline = file("timeline.json", "[[1, 2], [[0, 512], [0, 0]]]");
    await expect(readTrace(timeline)).rejects.toMatchObject({
      code: "not-a-trace",
      hint: expect.stringContaining("export_memory_timeline"),
    });
  });
});
