/** What is said of running speaks the language of the window: nothing of it is worked out before it is known. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../../scripts/words.mjs";
import { say } from "../../words/t.ts";
import { speakChinese } from "../../words/testing.ts";
import { createConnectionLoss } from "./connectionLoss.ts";
import { badEndText, findings } from "./end/headline.ts";
import { TORCH_CHOICES } from "./options/torchChoice.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test("the end of a run", () => {
  const text = badEndText("train.py", { kind: "out-of-memory", signal: "SIGKILL" }, { path: "train.py", line: 33 });
  expect(text).toBe("train.py 内存不足（第 33 行）：被开发板的系统终止（SIGKILL）。");
});

test("the heaviest line", () => {
  const row = { line: 33, net: 2 ** 20, self: 2 ** 20, peak: 2 ** 20, hits: 1, text: "" };
  const fn = { name: "<module>", defLine: 1, calls: 1, timeNs: 1, lines: [row] };
  const files = [{ path: "train.py", functions: [fn] }];
  expect(findings("train.py", { kind: "lines", metric: "rss", files }).headline).toBe(
    "train.py：第 33 行 保留了 1.0 MiB。",
  );
});

test("what to record of PyTorch", () => {
  expect(TORCH_CHOICES.map(({ label }) => say(label))).toEqual(["分配器快照", "精确的 CUDA 峰值", "模型账目"]);
});

test("a lost connection, with its time", () => {
  const said: string[] = [];
  const unheard = (): void => undefined;
  const lost = new Date(2026, 0, 5, 14, 3, 5).getTime();
  const loss = createConnectionLoss(
    "train.py @ nano",
    { progress: (text) => said.push(text), note: unheard, offer: unheard, tell: unheard, changed: unheard },
    () => lost,
  );
  loss.reconnecting({ kind: "reconnecting", attempt: 1, delayMs: 2_000, reason: "nano: EPIPE", script: "runs" });
  loss.dispose();
  expect(said).toEqual(["连接已断开，运行在开发板上继续。自 14:03:05 起。2 秒后重试。"]);
});
