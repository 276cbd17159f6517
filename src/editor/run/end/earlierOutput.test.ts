import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { earlierOutput } from "./earlierOutput.ts";

let folder: string;
const text = (most?: number): string[][] =>
  earlierOutput(folder, most).map(({ title, data }) => [title, Buffer.from(data).toString("utf8")]);

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "earlier-"));
});
afterEach(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

it("shows what both streams printed, and nothing of one that printed nothing", () => {
  expect(text()).toEqual([]);
  fs.writeFileSync(path.join(folder, "stdout.log"), "step 1\nstep 2");
  fs.writeFileSync(path.join(folder, "stderr.log"), "");
  expect(text()).toEqual([["Output until now:", "step 1\nstep 2"]]);
  fs.writeFileSync(path.join(folder, "stderr.log"), "slow\n");
  expect(text().at(1)).toEqual(["Error output until now:", "slow\n"]);
});

it("shows the last whole lines of much, and says how much is left out", () => {
  fs.writeFileSync(path.join(folder, "stdout.log"), "first\nsecond\nthird\n");
  expect(text(10)).toEqual([["Output until now, without its first 13 B:", "third\n"]]);
});

it("waits for no pipe that lies in a log's place", () => {
  childProcess.execFileSync("mkfifo", [path.join(folder, "stdout.log")]);
  expect(text()).toEqual([]);
});

it("does not follow a link out of the run folder", () => {
  fs.symlinkSync("/etc/passwd", path.join(folder, "stdout.log"));
  expect(text()).toEqual([]);
});
