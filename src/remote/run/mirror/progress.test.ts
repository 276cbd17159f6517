import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../protocol/run/run.ts";
import { createProgressReader } from "./progress.ts";

const LINES =
  '{"schema":1,"record":"header"}\n{"record":"file","file":0,"path":"train.py"}\n{"record":"rows","rows":[]}\n';
const SAMPLES =
  '{"schema":1,"record":"header"}\n{"t":200,"hits":5,"rss":100,"rss_peak":120,"at":[0,33]}\n{"t":400,"hits":9,"rss":null,"at":[7,1]}\n';

describe("createProgressReader", () => {
  it("turns samples into progress, byte by byte or at once", () => {
    const events: RunEvent[] = [];
    const reader = createProgressReader((event) => events.push(event));
    for (const byte of Buffer.from(LINES)) reader.lines(Buffer.from([byte]));
    for (const byte of Buffer.from(SAMPLES)) reader.samples(Buffer.from([byte]));
    expect(events).toEqual([
      { kind: "progress", elapsedMs: 200, hits: 5, rss: 100, rssPeak: 120, at: { path: "train.py", line: 33 } },
      { kind: "progress", elapsedMs: 400, hits: 9 },
    ]);
    events.length = 0;
    reader.samples(Buffer.from(SAMPLES));
    expect(events).toEqual([{ kind: "progress", elapsedMs: 400, hits: 9 }]);
  });

  it("passes over records it cannot read and lines without an end", () => {
    const events: RunEvent[] = [];
    const reader = createProgressReader((event) => events.push(event));
    reader.samples(Buffer.from('nonsense\n{"t":"x"}\n{"t":-1}\n[]\n'));
    for (let i = 0; i < 9; i++) reader.samples(Buffer.alloc(1024 * 1024, 0x20));
    reader.samples(Buffer.from('{"t":1}\n{"t":2,"hits":3}\n'));
    expect(events).toEqual([{ kind: "progress", elapsedMs: 2, hits: 3 }]);
  });
});
