import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { errorLine, lastErrorLine } from "./errorLine.ts";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "error-line-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

it("takes the last line of a traceback as a sentence", () => {
  expect(errorLine('Traceback:\n  File "a.py", line 1\nSyntaxError: invalid syntax\n\n')).toBe(
    "SyntaxError: invalid syntax.",
  );
  expect(errorLine("10%\r50%\rCUDA error: out of memory!\n")).toBe("CUDA error: out of memory!");
  expect(errorLine(" \n")).toBeUndefined();
  expect(errorLine("x".repeat(900))).toHaveLength(200);
});

it("reads the end of a long log, and does without one", async () => {
  expect(await lastErrorLine(folder)).toBeUndefined();
  fs.writeFileSync(path.join(folder, "stderr.log"), `${"noise\n".repeat(100_000)}ValueError: 3 is not 4\n`);
  expect(await lastErrorLine(folder)).toBe("ValueError: 3 is not 4.");
});
