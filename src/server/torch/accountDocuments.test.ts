import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonLines, makeProject, runFiles } from "../../profile/testing.ts";
import { readToModelPage } from "../../protocol/torch/model.ts";
import { createRunStore, type RunStore } from "../runs/runStore.ts";
import { accountDocument } from "./accountDocuments.ts";

const LINEAR = "torch.nn.modules.linear.Linear";
/** One layer of 4 by 8 as float32, trained for one step of two samples. */
const records = (pid: number): readonly object[] => [
  { schema: 1, record: "header", pid, torch: "1.10.0", activations: "saved-tensors", steps: 3 },
  { record: "root", root: 0, type: LINEAR, path: "train.py", line: 5, device: "cuda:0" },
  {
    record: "module",
    root: 0,
    module: 0,
    parent: null,
    name: "",
    type: LINEAR,
    config: "in_features=8, out_features=4, bias=False",
    parameters: [["weight", 0, 128, [4, 8], "float32", true]],
    buffers: [],
  },
  { record: "end", steps: 0 },
];
const FILES = {
  ...runFiles(),
  "model.10.jsonl": jsonLines(records(10)),
  "model.9.jsonl": jsonLines(records(9)),
  "model.11.jsonl": jsonLines(records(11)),
};

let store: RunStore;
let run: string;
let remove: () => void;
const make = (files: Record<string, string>): void => {
  ({ run, remove } = makeProject(files));
};
beforeEach(() => {
  store = createRunStore({ onChange: () => {} });
});
afterEach(() => {
  store.dispose();
  remove();
});
const document = () => accountDocument(store, run, [path.dirname(run)]);

describe("the document of a run's model account", () => {
  it("has the accounts of all processes by their names, the main one first", async () => {
    make(FILES);
    const { processes } = await document();
    expect(processes.map(({ name, account }) => [name, account.pid])).toEqual([
      ["main", 10],
      ["process 9", 9],
      ["worker 1", 11],
    ]);
    expect(processes[0]?.account.roots[0]?.total.parameters).toBe(128);
  });

  it("is what the page takes, as it is sent", async () => {
    make(FILES);
    const message = { kind: "model", document: await document() };
    expect(readToModelPage(JSON.parse(JSON.stringify(message)))).toEqual(message);
  });

  it("says which board it is of, and whether the run can be made again", async () => {
    make(FILES);
    const { board, running, repeatable, compared } = await document();
    expect(board).not.toBe("");
    expect([running, repeatable, compared]).toEqual([false, true, 1]);
    remove();
    const withOrigin: Record<string, string> = FILES;
    const { "origin.json": _, ...lost } = withOrigin;
    make(lost);
    expect((await document()).repeatable).toBe(false);
  });

  it("of a run without an account has no process", async () => {
    make(runFiles());
    expect((await document()).processes).toEqual([]);
  });
});
