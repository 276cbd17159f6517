import { describe, expect, it } from "vitest";
import type { LineNote } from "./ending.ts";
import { diagnosticOf, quickFixes } from "./endingDiagnostics.ts";
import { createEndingPublisher, onlyChanges } from "./endingPublisher.ts";

const ENDED: LineNote = {
  line: 7,
  from: 4,
  to: 20,
  kind: "out-of-memory",
  message: "Ran out of memory here",
  fixes: [],
};
const ADVICE: LineNote = {
  line: 3,
  from: 0,
  to: 40,
  kind: "likely",
  message: "Workers hold memory",
  advice: { rule: "loader-workers", url: "https://pytorch.org/docs/stable/data.html" },
  fixes: [
    { kind: "edit", title: "Load the data without workers", line: 3, from: 10, to: 23, text: "num_workers=0" },
    { kind: "step", title: "Set A=1 for the script", rule: "loader-workers", step: 1 },
  ],
};

function scene() {
  const sent: [string, number][] = [];
  const waiting = new Map<string, (notes: ReadonlyMap<string, readonly LineNote[]>) => void>();
  const notes = (folder: string) =>
    new Promise<ReadonlyMap<string, readonly LineNote[]>>((resolve, reject) => {
      if (folder === "damaged") reject(new Error("damaged"));
      waiting.set(folder, resolve);
    });
  let shown: string | undefined;
  const publisher = createEndingPublisher(
    { notes },
    () => shown,
    (uri, diagnostics) => sent.push([uri, diagnostics.length]),
  );
  const show = (folder: string | undefined) => {
    shown = folder;
    publisher.refresh();
  };
  const answer = async (folder: string, uris: readonly string[]) => {
    waiting.get(folder)?.(new Map(uris.map((uri) => [uri, [ENDED]])));
    await new Promise(setImmediate);
  };
  return { show, sent, answer };
}

describe("the notes on the shown run", () => {
  it("go where another run has none, and all with the last run", async () => {
    const { show, sent, answer } = scene();
    show("one");
    await answer("one", ["a", "b"]);
    show("two");
    await answer("two", ["b"]);
    show(undefined);
    await answer("", []);
    expect(sent).toEqual([
      ["a", 1],
      ["b", 1],
      ["a", 0],
      ["b", 1],
      ["b", 0],
    ]);
  });

  it("are those of the run that was asked for last, whichever answers last", async () => {
    const { show, sent, answer } = scene();
    show("one");
    show("two");
    await answer("two", ["b"]);
    await answer("one", ["a"]);
    expect(sent).toEqual([["b", 1]]);
  });

  it("are none where the run cannot be read", async () => {
    const { show, sent, answer } = scene();
    show("one");
    await answer("one", ["a"]);
    show("damaged");
    await answer("damaged", []);
    expect(sent).toEqual([
      ["a", 1],
      ["a", 0],
    ]);
  });
});

it("are not sent again where the client has them", () => {
  const sent: [string, number][] = [];
  const send = onlyChanges((uri, diagnostics) => sent.push([uri, diagnostics.length]));
  const one = diagnosticOf(ENDED);
  send("a", []);
  send("a", [one]);
  send("a", [{ ...one }]);
  send("b", [one]);
  send("a", [{ ...one, message: "Killed here" }]);
  send("a", []);
  send("a", []);
  expect(sent).toEqual([
    ["a", 1],
    ["b", 1],
    ["a", 1],
    ["a", 0],
  ]);
});

describe("quick fixes", () => {
  const at = (line: number) => ({ start: { line, character: 0 }, end: { line, character: 5 } });
  it("of a line are its edits, its steps and the way to the page", () => {
    const fixes = quickFixes("/run", "file:///t.py", [ENDED, ADVICE], at(2));
    expect(
      fixes.map(({ title, edit, command }) => [title, edit?.changes, command?.command, command?.arguments]),
    ).toEqual([
      [
        "Load the data without workers",
        {
          "file:///t.py": [
            {
              range: { start: { line: 2, character: 10 }, end: { line: 2, character: 23 } },
              newText: "num_workers=0",
            },
          ],
        },
        undefined,
        undefined,
      ],
      [
        "Set A=1 for the script",
        undefined,
        "jetsonMemprof.adviceStep",
        [{ folder: "/run", rule: "loader-workers", step: 1 }],
      ],
      ["Show all advice on this run's memory", undefined, "jetsonMemprof.showEnding", ["/run"]],
    ]);
    expect(fixes[0]?.diagnostics).toMatchObject([
      { severity: 4, code: "loader-workers", codeDescription: { href: ADVICE.advice?.url } },
    ]);
  });

  it("of other lines are not offered, of a selection all of its lines' are", () => {
    expect(quickFixes("/run", "u", [ENDED, ADVICE], at(4))).toEqual([]);
    const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
    expect(quickFixes("/run", "u", [ENDED, ADVICE], range)).toHaveLength(4);
  });
});
