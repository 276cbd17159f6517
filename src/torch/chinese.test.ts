/** What is said of PyTorch's files is in the program's language: nothing of it is worked out before it is known. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../scripts/words.mjs";
import { speakChinese } from "../words/testing.ts";
import { accountOf, HEADER, module } from "./model/testing.ts";
import { pickle } from "./pickle/testing.ts";
import { readSnapshot } from "./snapshot/reading/readSnapshot.ts";
import { smallSnapshot } from "./snapshot/testing.ts";
import { allWhatIfs } from "./whatif/allWhatIfs.ts";
import { CONTEXT } from "./whatif/testing.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test("a damaged snapshot", () => {
  const { device_traces, ...snapshot } = smallSnapshot();
  const traces = device_traces.map((events) => events.map((event, i) => (i === 2 ? { ...event, size: "big" } : event)));
  expect(() => readSnapshot(pickle({ ...snapshot, device_traces: traces }))).toThrow(
    "无法读取快照：事件 2 的“size”应为大小，实际为：文本。",
  );
});

test("what-ifs of a run without a training step", () => {
  const account = accountOf([
    HEADER,
    { record: "root", root: 0, type: "Net", device: "cuda:0" },
    module(0, 0, "", { parameters: [], buffers: [] }),
  ]);
  const [root] = account.roots;
  if (root === undefined) throw new Error("no root");
  const [first] = allWhatIfs({ account, root, context: CONTEXT }).refused;
  expect(first).toMatchObject({ title: "激活检查点", reason: "未记录此模型的训练步。" });
});
