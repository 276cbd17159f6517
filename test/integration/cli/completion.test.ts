import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { completionScript } from "../../../src/cli/commandLine/reference/completion.ts";

/** What bash offers for the last of the words. */
function completed(...words: string[]): string[] {
  const asked = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _jetson_memprof; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const script = `${completionScript("bash")}\n${asked}`;
  const text = execFileSync("bash", ["--norc", "-c", script, "bash", "jetson-memprof", ...words], { encoding: "utf8" });
  return text.split("\n").filter((line) => line !== "");
}

it("completes commands, their parts, options and the words that an option takes", () => {
  expect(completed("s")).toEqual(["sweep", "show", "shared-layers", "snapshot"]);
  expect(completed("runs", "p")).toEqual(["pin", "prune"]);
  expect(completed("runs", "prune", "--max")).toEqual(["--max-runs", "--max-size"]);
  expect(completed("profile", "--engine", "m")).toEqual(["memory_profiler", "massif"]);
  expect(completed("profile", "train.py", "--engine", "l")).toEqual(["line"]);
  expect(completed("sweep", "--gr")).toEqual(["--grid"]);
  expect(completed("whatif", "last", "nano")).toEqual(["nano-batch"]);
  expect(completed("help", "swe")).toEqual(["sweep"]);
});

it("leaves files to the shell", () => {
  expect(completed("profile", "train")).toEqual([]);
});
