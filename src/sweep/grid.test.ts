import { describe, expect, it } from "vitest";
import { argumentsAt, boardParameter, MOST_RUNS, onBoards, parseGrid, targetAt, variablesAt } from "./grid.ts";
import { combinations } from "./values.ts";

const grid = (texts: readonly string[], args: readonly string[] = []) => parseGrid(texts, args, 1);
const problem = (texts: readonly string[], args: readonly string[] = [], repeat = 1): string => {
  try {
    parseGrid(texts, args, repeat);
  } catch (error) {
    return (error as Error).message;
  }
  return "none";
};

describe("the grid as it is typed", () => {
  it("puts numbers in their order and leaves words in theirs", () => {
    expect(grid(["batch-size=64,8,16", "device=cuda,cpu"])).toEqual([
      { name: "batch-size", values: ["8", "16", "64"], way: "option" },
      { name: "device", values: ["cuda", "cpu"], way: "option" },
    ]);
    expect(grid(["lr=1e-3,.5,-2"])[0]?.values).toEqual(["-2", "1e-3", ".5"]);
  });

  it("is all combinations, the last parameter fastest", () => {
    const points = combinations(grid(["device=cpu,cuda", "batch=2,1"]));
    expect(points.map(({ device, batch }) => `${device}${batch}`)).toEqual(["cpu1", "cpu2", "cuda1", "cuda2"]);
  });

  it("hands a value over as an option behind the given arguments", () => {
    expect(argumentsAt(grid(["batch=1,2"]), ["--epochs", "3"], { batch: "2" })).toEqual([
      "--epochs",
      "3",
      "--batch",
      "2",
    ]);
    expect(argumentsAt(grid(["-b=1,2"]), [], { "-b": "2" })).toEqual(["-b", "2"]);
  });

  it("hands a value that looks like an option over in one word", () => {
    expect(argumentsAt(grid(["shift=-1,1"]), [], { shift: "-1" })).toEqual(["--shift=-1"]);
  });

  it("gives a flag where it is on, and leaves it away where it is off", () => {
    const parameters = grid(["amp=off,on"]);
    expect(argumentsAt(parameters, ["x"], { amp: "on" })).toEqual(["x", "--amp"]);
    expect(argumentsAt(parameters, ["x"], { amp: "off" })).toEqual(["x"]);
  });

  it.each(["model.width={}", "--model.width={}", "+model.width={}"])("fills the braces of %s", (arg) => {
    const parameters = grid(["model.width=64,128"], ["a", arg, "b"]);
    expect(parameters[0]?.way).toBe("placeholder");
    const filled = arg.replace("{}", "64");
    expect(argumentsAt(parameters, ["a", arg, "b"], { "model.width": "64" })).toEqual(["a", filled, "b"]);
  });

  it("keeps a value as it is, whatever signs it has", () => {
    const parameters = grid(["name=$&,$1"], ["name={}"]);
    expect(argumentsAt(parameters, ["name={}"], { name: "$&" })).toEqual(["name=$&"]);
  });

  it("sets a variable, and gives the script no argument for it", () => {
    const parameters = grid(["env:OMP_NUM_THREADS=1,4"]);
    expect(variablesAt(parameters, { OMP_NUM_THREADS: "4" })).toEqual({ OMP_NUM_THREADS: "4" });
    expect(argumentsAt(parameters, [], { OMP_NUM_THREADS: "4" })).toEqual([]);
  });

  it.each([
    ["no values", ["batch"], '"batch" is not a parameter with its values.'],
    ["a variable without a name", ["env:=3"], '"env:=3" is not a parameter with its values.'],
    ["an empty value", ["batch=1,,2"], "A value of batch is empty."],
    ["no value at all", ["batch="], "A value of batch is empty."],
    ["a value twice", ["batch=1,2,1"], "The value 1 of batch is given twice."],
    ["a number in two spellings", ["batch=16,16.0"], "The value 16.0 of batch is given twice."],
    ["a parameter twice", ["batch=1", "batch=2"], "The parameter batch is given twice."],
    ["a name that no variable can have", ["env:a-b=1"], '"a-b" cannot be the name of a variable.'],
  ])("refuses %s", (_what, texts, message) => {
    expect(problem(texts)).toBe(message);
  });

  it("refuses braces that no parameter fills", () => {
    expect(problem(["batch=1,2"], ["--width={}"])).toBe("No parameter has the name that the argument --width={} uses.");
  });

  it(`refuses more than ${MOST_RUNS} runs, repeats counted`, () => {
    const hundred = `batch=${Array.from({ length: 100 }, (_, i) => i + 1).join(",")}`;
    expect(problem([hundred], [], 2)).toBe("none");
    expect(problem([hundred], [], 3)).toBe("This makes 300 runs; a sweep may have 200.");
    expect(problem([hundred, "seq=1,2,3"])).toBe("This makes 300 runs; a sweep may have 200.");
  });
});

describe("a grid on several boards", () => {
  it("has each point once on each board, and hands nothing of that over", () => {
    const parameters = onBoards(["nano", "orin"], grid(["batch=1,2"]), 1);
    expect(combinations(parameters).map(({ board, batch }) => `${board} ${batch}`)).toEqual([
      "nano 1",
      "nano 2",
      "orin 1",
      "orin 2",
    ]);
    const at = { board: "orin", batch: "2" };
    expect(argumentsAt(parameters, [], at)).toEqual(["--batch", "2"]);
    expect(variablesAt(parameters, at)).toEqual({});
    expect(targetAt(parameters, "nano", at)).toBe("orin");
    expect(boardParameter(parameters)).toBe("board");
  });

  it("on one board is run there", () => {
    expect(targetAt(grid(["batch=1,2"]), "nano", { batch: "1" })).toBe("nano");
    expect(boardParameter(grid(["board=uno,mega"]))).toBeUndefined();
  });

  it("refuses what could not be told apart, and too many runs", () => {
    expect(() => onBoards(["nano"], grid(["board=uno,mega"]), 1)).toThrow("no parameter can be called board");
    expect(() => onBoards(["nano", "7"], [], 1)).toThrow('The board "7" cannot be told from a number.');
    expect(() => onBoards(["a", "b", "c"], grid(["batch=1,2"]), 40)).toThrow("This makes 240 runs");
  });
});
