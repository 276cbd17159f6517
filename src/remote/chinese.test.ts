/** What is said of a board on the way to it speaks the program's language: nothing is worked out before it is known. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue, helperSentences } from "../../scripts/words.mjs";
import { speakChinese } from "../words/testing.ts";
import { endedEarly, fromBoard } from "./helper/callHelper.ts";
import { tooOld } from "./helper/python.ts";
import { connectError, lostError } from "./ssh/errors.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"), helperSentences("zh-cn"));
});
afterEach(() => speakEnglish());

const hop = { user: "me", host: "nano", port: 22, via: ["gate", "door"] };

test("a connection that fails", () => {
  const refused = connectError(hop, Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
  expect(refused.message).toMatch(/^me@nano（经由 gate、door）\s?拒绝了端口 22 上的连接。$/);
  expect(lostError({ ...hop, via: [] }).message).toBe("与 me@nano 的连接已断开。");
});

test("a Python that is too old", () => {
  expect(tooOld({ version: "3.5", executable: "/usr/bin/python3" }, "nano").message).toBe(
    "在 nano 上找到的 Python 是 3.5（/usr/bin/python3）；需要 3.6 或更高版本。",
  );
});

test("a helper that ends", () => {
  expect(endedEarly("nano", "分析", "", 1).message).toBe("分析时，nano 上的辅助程序没有答复：它以退出代码 1 结束。");
});

test("a refusal of the helper, what it was about within it", () => {
  const full = fromBoard({
    code: "no-space",
    message: "Writing net/a.py on the board failed: No space left on device.",
    hint: "Free some space on the board's disk, then try again.",
  });
  expect(full.message).toBe("在开发板上写入 net/a.py 失败：No space left on device。");
  expect(full.hint).toBe("请在开发板的磁盘上腾出一些空间，然后重试。");
});
