import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTrace } from "../../../torch/node/readTrace.ts";
import { parseCommandLine } from "../../commandLine/commandLine.ts";
import { traceJson, traceText } from "./traceCommand.ts";

const STEP = join(import.meta.dirname, "../../../../test/fixtures/trace/step.pt.trace.json.gz");

describe("trace", () => {
  it("takes one file", () => {
    expect(parseCommandLine(["trace", "a.json", "--json"])).toEqual({ kind: "trace", file: "a.json", json: true });
    expect(parseCommandLine(["trace", "--help"])).toEqual({ kind: "help", topic: "trace" });
    expect(() => parseCommandLine(["trace"])).toThrow("Name a trace");
    expect(() => parseCommandLine(["trace", "a", "b"])).toThrow("one too many");
  });

  it("prints the peak of each device and the operators that held it", async () => {
    const text = traceText("a\u001b.json", await readTrace(STEP));
    expect(text.split("\n")[0]).toBe("a?.json");
    expect(text).toMatch(
      /^CPU: peak [\d.]+ MiB allocated · [\d.]+ m?s after the trace's first memory event · 40 memory events · \+/m,
    );
    expect(text).toMatch(/^Held at the peak +Allocations +Operator$/m);
    expect(text).toMatch(/^ +450 KiB +1 +autograd::.* > aten::threshold_backward$/m);
  });

  it("as JSON says the same in bytes", async () => {
    const trace = await readTrace(STEP);
    const { devices } = traceJson(trace) as {
      readonly devices: readonly {
        change_bytes: number;
        peak: { allocated_bytes: number; before_bytes: number; operators: { bytes: number }[] };
      }[];
    };
    const [cpu] = devices;
    expect(cpu?.change_bytes).toBe(577_872);
    const held = cpu?.peak.operators.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0;
    expect(held + (cpu?.peak.before_bytes ?? 0)).toBe(cpu?.peak.allocated_bytes);
  });

  it("says what the figures leave out", () => {
    const device = {
      name: "CUDA 0",
      t: Float64Array.of(0, 1),
      bytes: Float64Array.of(1024, -1024),
      address: Float64Array.of(1, 1),
      allocated: Float64Array.of(1024, 0),
      reserved: Float64Array.of(2048, 2048),
      call: Int32Array.of(-1, -1),
      totals: "summed",
    } as const;
    const text = traceText("t", {
      devices: [device],
      calls: { name: [], parent: [] },
      durationMs: 1,
      problems: ["Cut."],
    });
    expect(text).toContain("Note: Cut.");
    expect(text).toContain("without what was allocated before the trace began · 2 KiB reserved");
    expect(text).toContain("no operator of the trace");
  });
});
