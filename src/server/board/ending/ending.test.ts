import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { boardLines, training } from "../../../board/testing.ts";
import { jsonLines, makeProject, runFiles, runJson, writeFiles } from "../../../profile/testing.ts";
import { createHandlers } from "../../handlers.ts";
import { createRunStore, type RunStore } from "../../runs/runStore.ts";
import { createEndings, type Endings } from "./ending.ts";

const SOURCE = `import torch

def main():
    loader = DataLoader(data, batch_size=8, num_workers=2)
    for batch in loader:
        step(batch)

main()
`;
const LINES = [
  { schema: 1, record: "header", run: "20261121-094501-train-3fa9" },
  {
    record: "file",
    file: 0,
    path: "train.py",
    sha256: "aa",
    functions: [{ name: "main", key: 3, def_line: 3, last_line: 6 }],
  },
  {
    record: "rows",
    t: 200,
    pid: 10,
    rows: [
      [0, 4, 1, 0, 0, 0, 0, 2 ** 20, 0],
      [0, 6, 40, 0, 0, 0, 0, 2 ** 20, 0],
    ],
  },
];
const STDERR = `Traceback (most recent call last):
  File "/home/nano/project/train.py", line 8, in <module>
    main()
  File "/home/nano/project/train.py", line 5, in main
    for batch in loader:
OSError: [Errno 12] Cannot allocate memory
`;

let project: string;
let run: string;
let remove: () => void;
let store: RunStore;
let endings: Endings;
let open: Map<string, string>;
/** The URIs of the cells of open notebooks, by their names as measured files. */
let openCells: Map<string, string>;

beforeEach(() => {
  const board = {
    model: "NVIDIA Jetson Nano Developer Kit",
    l4t: "32.7.1",
    compatible: "nvidia,tegra210",
    simulated: "Jetson Nano",
  };
  const files = {
    ...runFiles(),
    "run.json": JSON.stringify(runJson({ exit: { kind: "exited", code: 1 }, board, processes: [] })),
    "lines.jsonl": jsonLines(LINES),
    "moments.jsonl": `${boardLines("nano", training(20)).join("\n")}\n`,
    "stderr.log": STDERR,
    "sources/train.py": SOURCE,
  };
  ({ project, run, remove } = makeProject(files));
  writeFiles(project, { "train.py": SOURCE });
  open = new Map();
  store = createRunStore({ onChange: () => {} });
  const { platform } = process;
  const openText = (uri: string) => open.get(uri);
  const openDocument = (uri: string) => {
    const text = open.get(uri);
    return text === undefined ? undefined : { version: text.length, text };
  };
  const { lineNow } = createHandlers({ store, openDocument, platform });
  openCells = new Map();
  const openCell = async (_folder: string, file: string) => openCells.get(file);
  endings = createEndings({ store, lineNow, openUris: () => [...open.keys()], openText, openCell, platform });
});
afterEach(() => {
  store.dispose();
  remove();
});

const trainUri = () => pathToFileURL(path.join(project, "train.py")).href;

describe("a run's ending", () => {
  it("is explained from the files of its folder", async () => {
    expect(await endings.ending(run)).toMatchObject({
      title: 'train.py --name "a b"',
      board: expect.stringContaining("JetPack 4.6.1"),
      simulated: "Jetson Nano",
      target: "ssh://nano@192.168.1.20",
      report: {
        kind: "errno-12",
        place: { path: "train.py", line: 5 },
        stack: [{ line: 8 }, { line: 5, function: "main", text: "for batch in loader:" }],
        last: expect.arrayContaining([expect.objectContaining({ at: { path: "train.py", line: 33 } })]),
      },
      advice: expect.arrayContaining([expect.objectContaining({ rule: "loader-workers" })]),
    });
  });

  it("is explained with what is left where files are missing or damaged", async () => {
    writeFiles(run, { "moments.jsonl": '{"schema":99,"record":"header"}\n', "stderr.log": "\uFFFD\0 Killed" });
    const exit = { kind: "out-of-memory", signal: "SIGKILL" };
    const last_lines = [{ pid: 10, thread: "MainThread", path: "train.py", line: 6 }];
    writeFiles(run, { "run.json": JSON.stringify(runJson({ exit, last_lines })) });
    expect((await endings.ending(run)).report).toMatchObject({
      kind: "kernel-out-of-memory",
      place: { path: "train.py", line: 6 },
      stack: [{ function: "main", text: "step(batch)" }],
      last: [],
    });
    for (const name of ["moments.jsonl", "stderr.log", "sources/train.py", "lines.jsonl"])
      fs.rmSync(path.join(run, name));
    expect((await endings.ending(run)).report).toMatchObject({ kind: "kernel-out-of-memory", last: [] });
  });

  it("is an exception for another reason where that is what it was, noted where its line is now", async () => {
    writeFiles(run, {
      "stderr.log": STDERR.replace(/OSError.*/, "ModuleNotFoundError: No module named 'torchvision'"),
    });
    expect(await endings.ending(run)).toMatchObject({
      report: null,
      failure: { place: { path: "train.py", line: 5 }, missingModule: "torchvision" },
    });
    open.set(trainUri(), `# a line more\n${SOURCE}`);
    const failed = (await endings.notes(run)).get(trainUri())?.filter(({ kind }) => kind === "failed");
    expect(failed).toEqual([
      {
        kind: "failed",
        line: 6,
        from: 4,
        to: 24,
        message: "The run failed here: ModuleNotFoundError: No module named 'torchvision'",
        fixes: [],
      },
    ]);
  });

  it("is noted in a file that never came to run, while that line has the text that Python printed", async () => {
    const syntax = `  File "/home/nano/project/broken.py", line 2\n    def half(:\n             ^\nSyntaxError: invalid syntax\n`;
    writeFiles(run, { "stderr.log": syntax });
    writeFiles(project, { "broken.py": "print()\ndef half(:\n" });
    const uri = pathToFileURL(path.join(project, "broken.py")).href;
    expect((await endings.notes(run)).get(uri)).toMatchObject([{ kind: "failed", line: 2, from: 0, to: 10 }]);
    open.set(uri, "print()\ndef half():\n");
    expect((await endings.notes(run)).get(uri)).toBeUndefined();
  });

  it("is noted in the cell of an open notebook that it was, and nowhere while the notebook is not open", async () => {
    const cell = "train.ipynb#cell2.py";
    const named = (text: string) => text.replaceAll("train.py", cell);
    writeFiles(run, {
      "lines.jsonl": named(jsonLines(LINES)),
      "stderr.log": named(STDERR),
      [`sources/${cell}`]: SOURCE,
    });
    expect((await endings.notes(run)).size).toBe(0);
    open.set("vscode-notebook-cell:/train.ipynb#W2", `# moved\n${SOURCE}`);
    openCells.set(cell, "vscode-notebook-cell:/train.ipynb#W2");
    const notes = (await endings.notes(run)).get("vscode-notebook-cell:/train.ipynb#W2");
    expect(notes?.find(({ kind }) => kind === "out-of-memory")).toMatchObject({ line: 6 });
  });

  it("is null for a run that ended well", async () => {
    writeFiles(run, { "run.json": JSON.stringify(runJson()) });
    expect((await endings.ending(run)).report).toBeNull();
  });
});

describe("the notes in the sources", () => {
  it("stand on the line that ran out of memory and on the line of an advice, with its fix", async () => {
    const notes = await endings.notes(run);
    expect([...notes.keys()]).toEqual([trainUri()]);
    const [ending, ...advice] = notes.get(trainUri()) ?? [];
    expect(ending).toMatchObject({
      line: 5,
      from: 4,
      to: 24,
      kind: "out-of-memory",
      message: expect.stringMatching(/^Ran out of memory here: The kernel refused memory to the script/),
    });
    expect(advice.find((note) => note.advice?.rule === "loader-workers")).toMatchObject({
      line: 4,
      fixes: [
        { kind: "edit", title: "Load the data without workers", line: 4, from: 44, to: 57, text: "num_workers=0" },
      ],
    });
  });

  it("follow the document's edits; where their line is gone there are none, and no edit where it does not fit", async () => {
    const uri = trainUri();
    open.set(uri, `# first\n${SOURCE.replace("num_workers=2)", "num_workers=2, x=f(num_workers=2))")}`);
    let notes = (await endings.notes(run)).get(uri) ?? [];
    expect(notes[0]).toMatchObject({ line: 6 });
    expect(notes.find((note) => note.advice?.rule === "loader-workers")).toMatchObject({ line: 5, fixes: [] });
    open.set(uri, "import torch\n");
    notes = (await endings.notes(run)).get(uri) ?? [];
    expect(notes).toEqual([]);
  });

  it("are none while the run goes on, and none for a file that is not at home", async () => {
    fs.rmSync(path.join(project, "train.py"));
    expect((await endings.notes(run)).size).toBe(0);
    writeFiles(project, { "train.py": SOURCE });
    writeFiles(run, { "run.json": JSON.stringify(runJson({ state: "running" })) });
    expect((await endings.notes(run)).size).toBe(0);
  });
});
