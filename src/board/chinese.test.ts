/** What is said of a board is in the language of its reader: nothing is worked out before it is known. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue, helperSentences } from "../../scripts/words.mjs";
import { speakChinese } from "../words/testing.ts";
import { diagnoseBoard } from "./doctor/diagnose.ts";
import { NANO } from "./doctor/testing.ts";
import { explainEnding } from "./ending/explain.ts";
import { makeLedger } from "./ledger/ledger.ts";
import { ledgerText } from "./ledger/ledgerText.ts";
import { decodeSurvey } from "./survey.ts";
import { boardMoment, finishedRun, RUN_PID } from "./testing.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"), helperSentences("zh-cn"));
});
afterEach(() => speakEnglish());

test("Check Board", () => {
  const { lines } = diagnoseBoard(decodeSurvey(NANO));
  expect(lines.find(({ id }) => id === "valgrind")).toMatchObject({
    found: "未安装",
    remedy: { text: "massif 引擎需要它。这会安装软件包 valgrind。如果 apt 找不到它，请先运行 `sudo apt-get update`。" },
  });
});

test("the ledger", () => {
  const text = ledgerText(makeLedger(boardMoment("nano", { run: { anon: 900, file: 420, shmem: 24 } })));
  expect(text).toContain("堆和其他匿名内存");
});

test("why a run ended", () => {
  const run = finishedRun({
    exit: { kind: "signalled", signal: "SIGKILL" },
    lastLines: [{ pid: RUN_PID, thread: "MainThread", path: "train.py", line: 33 }],
  });
  const ending = explainEnding({ run, sharedMemory: true, stderr: "" });
  expect(ending?.headline).toBe("运行被终止（SIGKILL），位于 train.py:33。");
});

test("how it is known that the kernel ended a run, as the helper says it", () => {
  const evidence = "the kernel's count of out-of-memory kills for the board (/proc/vmstat) rose from 0 to 1";
  const run = finishedRun({ exit: { kind: "out-of-memory", signal: "SIGKILL", evidence } });
  const ending = explainEnding({ run, sharedMemory: true, stderr: "" });
  expect(ending?.evidence).toBe("内核统计的开发板 (/proc/vmstat)因内存不足而终止进程的次数从 0 增加到 1");
  expect(ending, "what is read of it is not what is shown").toMatchObject({ sureness: "inferred" });
});
