import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withoutShims } from "./path.mjs";

let folder;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-path-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

function having(name, ...programs) {
  const made = path.join(folder, name);
  fs.mkdirSync(made, { recursive: true });
  for (const program of programs) fs.writeFileSync(path.join(made, program), "");
  return made;
}
const joined = (...folders) => folders.join(path.delimiter);

test("shims are left out where there is a python3 without them", () => {
  const [shims, others, usual] = [having("pyenv/shims", "python3"), having("own", "tool"), having("bin", "python3")];
  expect(withoutShims(joined(shims, others, usual))).toBe(joined(others, usual));
});

test("they stay where they have the only python3", () => {
  const [shims, others] = [having("pyenv/shims", "python3"), having("own", "tool")];
  expect(withoutShims(joined(shims, others))).toBe(joined(shims, others));
});
