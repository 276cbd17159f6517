import { describe, expect, it } from "vitest";
import { splitArguments } from "./splitArguments.ts";

describe("splitArguments", () => {
  it.each([
    ["", []],
    ["  --epochs 2\t--lr 0.1 ", ["--epochs", "2", "--lr", "0.1"]],
    [`--name "my run" 'it is'`, ["--name", "my run", "it is"]],
    [`a"b c"'d e'f`, ["ab cd ef"]],
    [`"" ''`, ["", ""]],
    [
      String.raw`a\ b "say \"hi\"" 'back\slash' "C:\new"`,
      ["a b", 'say "hi"', String.raw`back\slash`, String.raw`C:\new`],
    ],
    ["größe=日本 *.py $HOME", ["größe=日本", "*.py", "$HOME"]],
  ])("splits %s", (text, expected) => {
    expect(splitArguments(text)).toEqual(expected);
  });

  it("refuses what is left open", () => {
    expect(() => splitArguments('--name "my run')).toThrow('A " in the arguments is not closed.');
    expect(() => splitArguments("it's")).toThrow("is not closed");
    expect(() => splitArguments("end\\")).toThrow("is not closed");
  });
});
