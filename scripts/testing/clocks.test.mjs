import { expect, test } from "vitest";
import { findClocks } from "./clocks.mjs";

const lines = (file, text) => findClocks(file, text).map(({ line }) => line);

test("in TypeScript: clocks, sleeps and short time-outs", () => {
  const text = [
    "const began = performance.now();",
    "await delay(50);",
    "await expect.poll(rows, { timeout: 5_000 }).toBe(1);",
    "await expect.poll(rows, { timeout: 60_000 }).toBe(1);",
    "const now = event.time;",
    "await vi.waitFor(() => expect(rows).toBe(1));",
    "await vi.waitFor(() => expect(rows).toBe(1), 20_000);",
    "await vi.waitFor(() => expect(rows).toBe(1), { timeout: 20_000 });",
  ];
  expect(lines("src/a.test.ts", text.join("\n"))).toEqual([1, 2, 3, 6]);
});

test("in Python: what is asserted of the time, and short time-outs; a script's own sleep is none", () => {
  const text = [
    "began = time.monotonic()",
    "took = time.monotonic() - began",
    "self.assertLess(took, 2)",
    "self.assertLess(time.time() - before, 1.0)",
    "self.assertLess(time.process_time() - before, 1.0)",
    "done.wait(timeout=5)",
    '    "time.sleep(60)"',
  ];
  expect(lines("python-helper/tests/test_a.py", text.join("\n"))).toEqual([3, 4, 6]);
});

test("what is allowed is so in its own file only", () => {
  const text = "await view.page.clock.pauseAt(Date.now() + 3_600_000);";
  expect(lines("test/integration/webview/massifStates.test.ts", text)).toEqual([]);
  expect(lines("test/integration/webview/memory.test.ts", text)).toEqual([1]);
});
