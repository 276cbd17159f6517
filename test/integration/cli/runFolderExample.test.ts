import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { expect, it } from "vitest";
import { root, useProgram } from "./program.ts";

const { run, script } = useProgram();

const GROW = `def keep(count):
    return [bytearray(8 << 20) for _ in range(count)]

kept = keep(6)
`;

it("the program of docs/run-folder.md prints the heaviest lines of a run", async () => {
  const document = fs.readFileSync(path.join(root, "docs/run-folder.md"), "utf8");
  const [, program = ""] = /^## Reading a run with Python$.*?^```python\n(.*?)^```$/ms.exec(document) ?? [];
  script("grow.py", GROW);
  expect((await run("profile", "grow.py", "--target", "local", "--quiet")).status).toBe(0);
  const listed = JSON.parse((await run("runs", "--json")).stdout) as { runs: { folder: string }[] };
  const folder = listed.runs[0]?.folder ?? "";
  const printed = execFileSync("python3", ["-c", program, folder], { encoding: "utf8" }).trimEnd().split("\n");
  const heaviest = printed.slice(0, 2).sort();
  for (const line of heaviest) expect(line).toMatch(/^\+4[78]\.\d MiB {2}grow\.py:[24]$/);
  expect(new Set(heaviest.map((line) => line.split(":")[1]))).toEqual(new Set(["2", "4"]));
});
