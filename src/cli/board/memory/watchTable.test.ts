import { describe, expect, it } from "vitest";
import type { Moment } from "../../../board/moments/model.ts";
import { momentLine, watchHeader } from "./watchTable.ts";

const MIB = 1024 * 1024;
const moment: Moment = {
  t: 12_040,
  baseline: false,
  meminfo: { MemTotal: 3963 * MIB, MemAvailable: 2950.5 * MIB, SwapTotal: 1981 * MIB, SwapFree: 1900 * MIB },
  processes: [],
  processesAgeMs: 0,
  run: [],
  gpuLoad: 0.125,
};

describe("a line of the watch", () => {
  it("stands below the header", () => {
    expect(watchHeader()).toBe("     Time     RAM used    Available    Swap used  GPU load");
    expect(momentLine(moment)).toBe("   12.0 s   1012.5 MiB   2950.5 MiB     81.0 MiB      13 %");
  });

  it("shows what could not be read as unknown, not as 0", () => {
    const { gpuLoad, ...rest } = moment;
    expect(momentLine({ ...rest, meminfo: { MemTotal: 3963 * MIB } })).toBe(
      "   12.0 s            –            –            –         –",
    );
  });
});
