import { expect, test } from "vitest";
import { testsOf } from "./changed.mjs";

const TESTS = {
  "python-helper/tests/test_board_lost.py": "from jetson_memprof.board.runs import RunFolder\n",
  "python-helper/tests/test_board_run.py": "from jetson_memprof.board import launch, runs\n",
  "python-helper/tests/test_engine_truth.py": "from truth import harness\n",
  "test/integration/webview/memory.test.ts": "",
  "test/integration/webview/page.ts": "",
};
const of = (...changed) => testsOf(changed, Object.keys(TESTS), (file) => TESTS[file]);

test("a changed test runs itself", () => {
  const story = "test/workbench/stories/watch.test.ts";
  expect(of(story, "python-helper/tests/test_engine_truth.py")).toEqual({
    parts: ["check"],
    files: [story, "python-helper/tests/test_engine_truth.py"],
    related: [],
    left: [],
  });
});

test("sources have their unit tests found by their imports, and what takes longer is named", () => {
  const { files, related, left } = of(
    "src/profile/lines/totals.ts",
    "src/profile/lines/totals.test.ts",
    "src/editor/hover.ts",
  );
  expect(files).toEqual([]);
  expect(related).toEqual(["src/profile/lines/totals.ts", "src/profile/lines/totals.test.ts", "src/editor/hover.ts"]);
  expect(left).toEqual(["workbench"]);
});

test("a page has its own tests in Chromium, what pages share is left", () => {
  expect(of("webview/memory/chart.ts").files).toEqual(["test/integration/webview/memory.test.ts"]);
  expect(of("webview/dom.ts").left).toEqual(["integration"]);
});

test("a module of the helper has the tests that import it; one that none imports is left", () => {
  const expected = ["python-helper/tests/test_board_lost.py", "python-helper/tests/test_board_run.py"];
  expect(of("python-helper/jetson_memprof/board/run/runs.py")).toMatchObject({ files: expected, left: [] });
  expect(of("python-helper/jetson_memprof/engine/pure.py")).toMatchObject({ files: [], left: ["helper"] });
  expect(of("python-helper/accel/linetrace.c").left).toEqual(["helper"]);
});
