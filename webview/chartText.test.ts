import { expect, test } from "vitest";
import { shortened } from "./chartText.ts";

test("a text is cut where its room ends, and a Chinese character takes as much of it as two letters", () => {
  expect(shortened("Page cache", 70)).toBe("Page cache");
  expect(shortened("Page cache", 42)).toBe("Page …");
  expect(shortened("页缓存", 42)).toBe("页缓存");
  expect(shortened("其他程序", 42)).toBe("其他…");
  expect(shortened("其他程序", 0)).toBe("其…");
});
