import { expect, it } from "vitest";
import { createLineSplitter } from "./lineSplitter.ts";

it("keeps the beginning of a line though its reader uses the same buffer for what comes next", () => {
  const splitter = createLineSplitter();
  const buffer = Buffer.alloc(8);
  buffer.write("one\ntwo ");
  expect(splitter.push(buffer)).toEqual(["one"]);
  buffer.write("is long\n");
  expect(splitter.push(buffer)).toEqual(["two is long"]);
});
