import { expect, it } from "vitest";
import { createLanes, namedLines } from "./lane.ts";
import { collected } from "./testing.ts";

it("puts the name before each line, once, however the line comes", () => {
  const output = collected(true);
  const named = namedLines(output, createLanes()("nano1"));
  for (const text of ["one\ntwo\n", "thr", "", "ee\n", "\n", Buffer.from("f\u00fcnf: "), "yes\n", "six"])
    named.write(text);
  expect(output.text()).toBe("[nano1] one\n[nano1] two\n[nano1] three\n\n[nano1] f\u00fcnf: yes\n[nano1] six");
  expect(named.isTerminal).toBe(false);
});

it("asks one question after the other, whatever becomes of them", async () => {
  const lane = createLanes();
  const told: string[] = [];
  const ask = (name: string, end: () => string) =>
    lane(name).inTurn(async () => {
      told.push(`${name} begins`);
      await Promise.resolve();
      told.push(`${name} ends`);
      return end();
    });
  const first = ask("a", () => {
    throw new Error("no");
  });
  const second = ask("b", () => "yes");
  await expect(first).rejects.toThrow("no");
  await expect(second).resolves.toBe("yes");
  expect(told).toEqual(["a begins", "a ends", "b begins", "b ends"]);
});
