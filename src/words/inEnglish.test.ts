import { afterEach, beforeEach, expect, it } from "vitest";
import { inEnglish, piecesInEnglish } from "./inEnglish.ts";
import { t } from "./t.ts";
import { speakChinese } from "./testing.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese({ peak: "峰值", net: "净变化" });
});
afterEach(() => speakEnglish());

it("is English inside and the program's language afterwards", () => {
  expect([inEnglish(() => t("peak")), t("peak")]).toEqual(["peak", "峰值"]);
});

it("is the program's language again after an error", () => {
  expect(() =>
    inEnglish(() => {
      throw new Error(t("peak"));
    }),
  ).toThrow("peak");
  expect(t("peak")).toBe("峰值");
});

it("makes each piece in English, and leaves the program's language between them", () => {
  let closed = false;
  const pieces = function* () {
    try {
      yield t("peak");
      yield t("net");
    } finally {
      closed = true;
    }
  };
  const between: string[] = [];
  for (const piece of piecesInEnglish(pieces())) between.push(piece, t("peak"));
  expect(between).toEqual(["peak", "峰值", "net", "峰值"]);
  closed = false;
  for (const _ of piecesInEnglish(pieces())) break;
  expect(closed).toBe(true);
});
