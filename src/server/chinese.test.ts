/** What the server words for an editor: a line's hover, whole and in the language of the window. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../scripts/words.mjs";
import type { Profile } from "../profile/model.ts";
import { MIB, PLAIN_RUN } from "../profile/testing.ts";
import { speakChinese } from "../words/testing.ts";
import { changedNote, hoverText } from "./lines/hover.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

const PROFILE: Profile = {
  run: {
    ...PLAIN_RUN,
    command: { python: "/usr/bin/python3", script: "train.py", args: ["--epochs", "2"] },
    started: "2026-11-20T10:00:00.000Z",
    exit: { kind: "lost" },
  },
  origin: { target: "nano", boardFolder: "/home/nano", simulated: false },
  files: [
    {
      path: "train.py",
      sha256: "",
      lines: [
        { line: 3, hits: 12, net: 64 * MIB, self: 64 * MIB, maxIncrement: 32 * MIB, peak: 80 * MIB, usage: 200 * MIB },
        { line: 4, self: MIB },
      ],
      functions: [],
    },
  ],
  byProcess: new Map(),
  metrics: new Set(["rss"]),
  cuda: new Map(),
  phases: [],
  complete: true,
};

/** No two English words in a row: names and units stand alone. */
function expectChinese(text: string | undefined): void {
  expect(text).toMatch(/\p{Script=Han}/u);
  expect(text?.replaceAll(/train\.py --epochs 2|&nbsp;/g, "")).not.toMatch(/[A-Za-z]{2,}[,.:]? (?!MiB)[A-Za-z]{2,}/);
}

test("a line's figures, their meaning, and the run that they are of", () => {
  const text = hoverText(PROFILE, { path: "train.py", line: 3 });
  expectChinese(text);
  expect(text).toContain(
    "运行：train\\.py \\-\\-epochs 2（在 nano 上），2026\\-11\\-20 10\\:00 UTC。1 MiB 为 1,048,576 字节。",
  );
  expect(text).toContain("运行在结束前丢失");
});

test("a line that never ended, and one that was changed", () => {
  expectChinese(hoverText(PROFILE, { path: "train.py", line: 4 }));
  expect(changedNote("x = 1")).toMatch(/^\*\*\p{Script=Han}+.*x \\?= 1/u);
});
