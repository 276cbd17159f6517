import { describe, expect, it } from "vitest";
import { withoutPrompts } from "./sudoPrompt.ts";

const MARK = "jetson-memprof-0011";

function filtered(answers: number, pieces: readonly string[]): { readonly shown: string; readonly asked?: string } {
  const shown: Buffer[] = [];
  const filter = withoutPrompts(MARK, answers, (data) => shown.push(data));
  for (const piece of pieces) filter.take(Buffer.from(piece));
  const asked = filter.end();
  return { shown: Buffer.concat(shown).toString("utf8"), ...(asked === undefined ? {} : { asked }) };
}

describe("what sudo and its command write to standard error", () => {
  it("is passed on where sudo asked nothing", () => {
    expect(filtered(0, ["E: no such", " package: jetson-", "nothing\n"])).toEqual({
      shown: "E: no such package: jetson-nothing\n",
    });
  });

  it("is passed on but for the question and sudo's complaint that nobody answered", () => {
    expect(filtered(0, [`lecture\n${MARK}:nano:`, "\nsudo: no password was provided\n"])).toEqual({
      shown: "lecture\n",
      asked: "nano",
    });
  });

  it("is passed on after an answered question", () => {
    expect(filtered(1, [`${MARK}:nano:`, "warning: disk is slow\n"])).toEqual({ shown: "warning: disk is slow\n" });
  });

  it("a second question says that the answer to the first was wrong", () => {
    expect(filtered(1, [`${MARK}:nano:Sorry, try again.\n${MARK}:nano:sudo: 1 incorrect`])).toEqual({
      shown: "Sorry, try again.\n",
      asked: "nano",
    });
  });

  it("is told apart wherever the pieces are cut", () => {
    const text = `before ${MARK}:jo hn:after jetson-memprof-`;
    for (let cut = 0; cut <= text.length; cut++) {
      expect(filtered(1, [text.slice(0, cut), text.slice(cut)])).toEqual({ shown: "before after jetson-memprof-" });
    }
    expect(filtered(1, [...text])).toEqual({ shown: "before after jetson-memprof-" });
  });

  it("is not held back for a question that never ends", () => {
    const text = `${MARK}:${"x".repeat(300)}`;
    expect(filtered(0, [text]).shown).toBe(text);
  });

  it("is passed on as it comes where no question can come", () => {
    const shown: string[] = [];
    const filter = withoutPrompts(undefined, 0, (data) => shown.push(data.toString()));
    filter.take(Buffer.from("jetson-"));
    expect(shown).toEqual(["jetson-"]);
    expect(filter.end()).toBeUndefined();
  });
});
