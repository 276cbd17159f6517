import { expect, it } from "vitest";
import { netText } from "./netText.ts";

const MIB = 2 ** 20;

it.each([
  [{ hits: 2, net: 96 * MIB, self: 4 * MIB }, "+96.0 MiB"],
  [{ hits: 1, self: 96 * MIB }, "≥ +96.0 MiB"],
  [{ hits: 0, self: 96 * MIB }, "≥ +96.0 MiB"],
  [{ hits: 1, self: -MIB }, "-1.0 MiB"],
  [{ self: 96 * MIB }, "+96.0 MiB"],
  [{ hits: 1 }, "0 B"],
])("of %j is %s", (figures, text) => {
  expect(netText(figures)).toBe(text);
});
