import { expect, it } from "vitest";
import { missedPeakText } from "./missedPeak.ts";
import type { Moment } from "./model.ts";

const MIB = 2 ** 20;
const process = (pid: number, rss: number) => ({ pid, name: "python3", rss: rss * MIB });
const moment: Moment = {
  t: 1100,
  baseline: false,
  meminfo: {},
  processes: [process(7, 22), process(8, 100)],
  processesAgeMs: 0,
  run: [7],
};

it("tells the run's peak where no record shows it", () => {
  expect(missedPeakText(moment, 34.3 * MIB)).toBe(
    "Between two records the script's main process reached 34.3 MiB (RSS), the run's peak; here it is 22.0 MiB.",
  );
});

it.each([
  ["the record shows it", moment, 22 * MIB],
  ["both read the same", moment, 22.01 * MIB],
  ["the run's processes together held more", { ...moment, run: [7, 8] }, 34 * MIB],
  ["the peak is not known", moment, undefined],
  ["the run's processes could not be read", { ...moment, run: [9] }, 34 * MIB],
])("says nothing where %s", (_, at, rssPeak) => {
  expect(missedPeakText(at, rssPeak)).toBeUndefined();
});
