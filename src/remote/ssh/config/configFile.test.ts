import { expect, it } from "vitest";
import { directive } from "./configFile.ts";

it.each([
  ["Host nano board-?", { name: "host", value: "nano board-?" }],
  ["\tHostName = 192.168.55.1 ", { name: "hostname", value: "192.168.55.1" }],
  ["Host=a", { name: "host", value: "a" }],
  ["Host==a", { name: "host", value: "=a" }],
  ["# Host a", undefined],
  ["", undefined],
  ["Host", undefined],
])("takes %j apart as ssh does", (line, expected) => {
  expect(directive(line)).toEqual(expected);
});

it("takes time in proportion to a line of blanks", () => {
  const blanks = " ".repeat(20_000);
  expect(directive(`H${blanks}\u0014${blanks}\n${blanks}`)).toBeUndefined();
  expect(directive(`H${blanks}a${blanks}b${blanks}`)?.value).toBe(`a${blanks}b`);
});
