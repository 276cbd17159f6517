import { expect, it } from "vitest";
import { plainText } from "./plainText.ts";

it("takes links, control characters and overlong text out of untrusted text", () => {
  expect(plainText("ok [here](command:evil)\n\x1b[31mred", 100)).toBe("ok [here] (command:evil) [31mred");
  expect(plainText("abc\u202edef", 100)).toBe("abc def");
  expect(plainText("x".repeat(50), 10)).toBe(`${"x".repeat(9)}…`);
});
