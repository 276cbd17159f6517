/** The pages speak the language of the window: nothing that they say is worked out before it is known. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../scripts/words.mjs";
import { speakChinese } from "../src/words/testing.ts";
import { spreadText, BYTES as WITH_UNIT } from "./compare/words.ts";
import { STATUSES } from "./doctor/words.ts";
import { allocatorRows } from "./ending/allocator.ts";
import { courseText } from "./ending/moments.ts";
import { ageNotes, momentText, sizeText } from "./memory/words.ts";
import { withCommas } from "./prose.ts";
import { describe as describeSample } from "./timeline/series.ts";

const MIB = 1024 * 1024;

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test("timeline", () => {
  const sample = { t: 1_200, rss: MIB, at: { path: "train.py", line: 3 } };
  expect(describeSample(sample)).toBe("1.2 s · RSS 1.0 MiB · 可用 未读取 · train.py，第 3 行");
});

test("Compare Runs", () => {
  expect(spreadText({ verdict: "same", noise: { amount: MIB, known: true } }, WITH_UNIT)).toBe("这些运行中未测量");
});

test("Check Board", () => {
  expect([STATUSES.ok.word(), STATUSES.missing.counted(2)]).toEqual(["正常", "2 项缺失"]);
});

test("a run's end", () => {
  const moments = [2 * MIB, MIB].map((memAvailable, t) => ({ t, memAvailable }));
  expect(courseText(moments)).toBe("可用 RAM：从 2.0 MiB 降至 1.0 MiB。");
  expect(allocatorRows({ form: "from-2.1", tried: MIB }).map(({ label }) => label)).toContain("PyTorch 已预留但未分配");
});

test("the memory of the board", () => {
  expect([momentText(-1), sizeText(undefined)]).toEqual(["开始之前", "未读取"]);
  expect(ageNotes({ processesAgeMs: 12_000 })[0]).toContain("在此时刻之前 12.0 s 读取");
});

test("commas are full-width", () => {
  expect(withCommas(["12.0 s", "峰值"])).toBe("12.0 s，峰值");
});
