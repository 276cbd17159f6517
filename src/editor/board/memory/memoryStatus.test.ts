import { describe, expect, it } from "vitest";
import type { Moment } from "../../../board/moments/model.ts";
import { boardMoment, MIB } from "../../../board/testing.ts";
import { memoryStatus } from "./memoryStatus.ts";

const idle = boardMoment("nano", {});
const withAvailable = (mib: number, totalMib = 3_964): Moment => ({
  ...idle,
  meminfo: { ...idle.meminfo, MemTotal: totalMib * MIB, MemAvailable: mib * MIB },
});

describe("the status of a board's memory", () => {
  it("tells used and total RAM in the unit of the total, used being what is not available", () => {
    expect(memoryStatus(withAvailable(994)).text).toBe("RAM 2970 of 3964 MiB");
    expect(memoryStatus(withAvailable(62_000, 62_841)).text).toBe("RAM 0.8 of 61.4 GiB");
  });

  it.each([
    // 5 % of 3964 MiB are 198.2 MiB.
    [199, 3_964, "ample"],
    [198, 3_964, "scarce"],
    [100, 3_964, "scarce"],
    [99, 3_964, "critical"],
    // On a small board 150 MiB count.
    [150, 1_980, "ample"],
    [149, 1_980, "scarce"],
    [74, 1_980, "critical"],
  ] as const)("with %d MiB available of %d MiB is %s", (available, total, level) => {
    expect(memoryStatus(withAvailable(available, total)).level).toBe(level);
  });

  it("has the ledger's groups, what is available and the swap for the tooltip", () => {
    const rows = Object.fromEntries(memoryStatus(boardMoment("nano", { swapUsed: 81 })).rows);
    expect(Object.keys(rows)).toEqual(
      expect.arrayContaining(["Available", "Other programs", "Kernel", "Page cache", "Free", "Swap used"]),
    );
    expect(rows["Swap used"]).toBe("81.0 MiB of 1982.0 MiB");
  });

  it("says what could not be read, and warns of nothing then", () => {
    const { MemAvailable, SwapTotal, ...meminfo } = idle.meminfo;
    const status = memoryStatus({ ...idle, meminfo });
    expect(status).toMatchObject({ text: "RAM ? of 3964 MiB", level: "ample" });
    expect(Object.fromEntries(status.rows)).toMatchObject({ Available: "not known", "Swap used": "not known" });
  });

  it("says that there is no swap where there is none", () => {
    const status = memoryStatus({ ...idle, meminfo: { ...idle.meminfo, SwapTotal: 0, SwapFree: 0 } });
    expect(Object.fromEntries(status.rows)["Swap used"]).toBe("there is none");
  });
});
