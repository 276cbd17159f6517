import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { boardLines, training } from "../../../board/testing.ts";
import { makeProject, runFiles, runJson } from "../../../profile/testing.ts";
import { parseCommandLine } from "../../commandLine/commandLine.ts";
import { collected } from "../../terminal/testing.ts";
import { why } from "./whyCommand.ts";

const STDERR = `Traceback (most recent call last):
  File "/home/nano/project/train.py", line 10, in <module>
    main()
  File "/home/nano/project/model.py", line 2, in build
    weights = bytearray(64 << 20)
RuntimeError: CUDA out of memory. Tried to allocate 50.00 MiB (GPU 0; 3.87 GiB total capacity; 1.00 GiB already allocated; 20.50 MiB free; 1.50 GiB reserved in total by PyTorch)
`;
const BOARD = {
  model: "NVIDIA Jetson Nano",
  l4t: "32.7.1",
  compatible: "nvidia,tegra210",
  simulated: "Jetson\u001B[2J Nano",
};

let run: string;
let remove: () => void;
beforeEach(() => {
  const changes = { exit: { kind: "exited", code: 1 }, board: BOARD, versions: { torch: "1.10.0", cuda: "10.2" } };
  ({ run, remove } = makeProject({
    ...runFiles(),
    "run.json": JSON.stringify(runJson(changes)),
    "moments.jsonl": `${boardLines("nano", training(125)).join("\n")}\n`,
    "stderr.log": STDERR,
  }));
});
afterEach(() => remove());

async function printed(json: boolean): Promise<string> {
  const output = collected();
  await why({ kind: "why", run, json }, output);
  return output.text();
}

describe("why", () => {
  it("takes a run, --json and a project", () => {
    expect(parseCommandLine(["why", "last", "--json", "--project", "x"])).toEqual({
      kind: "why",
      run: "last",
      json: true,
      project: "x",
    });
    expect(parseCommandLine(["why", "-h"])).toEqual({ kind: "help", topic: "why" });
    expect(() => parseCommandLine(["why"])).toThrow("Name a run");
    expect(() => parseCommandLine(["why", "a", "b"])).toThrow("one too many");
    expect(() => parseCommandLine(["why", "a", "--nope"])).toThrow("--nope");
  });

  it("prints the line, the stack, PyTorch's figures, the last moments and the advice with its steps", async () => {
    const text = await printed(false);
    expect(text).toContain("JetPack 4.6.1 (L4T 32.7.1)");
    expect(text).toContain("simulated Jetson?[2J Nano");
    expect(text).toContain("CUDA could get no more memory at model.py:2.");
    expect(text).toContain("This is known for certain.");
    expect(text).toContain(
      "     train.py:10  <module>  main()\n  >  model.py:2   build     weights = bytearray(64 << 20)",
    );
    expect(text).toMatch(/\n {4}50\.0 MiB {2}asked for\n/);
    expect(text).toMatch(/\n {2}1536\.0 MiB {2}reserved by PyTorch\n/);
    expect(text).toMatch(/Time +Available +Swap free +RSS of the run +NvMap +Line\n/);
    // As the ledger tells a moment of a run.
    expect(text).toMatch(/\n +2 min 5 s +[\d.]+ MiB /);
    expect(text).toContain("jetson-memprof profile --env PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128 …");
    expect(text).toContain(
      "See PyTorch: CUDA semantics, memory management: https://pytorch.org/docs/stable/notes/cuda.html",
    );
    expect(text).not.toContain("\u001B");
  });

  it("prints one JSON object with sizes in bytes", async () => {
    const value = JSON.parse(await printed(true));
    expect(value).toMatchObject({
      schema: 1,
      run: { id: "20261121-094501-train-3fa9" },
      report: {
        kind: "cuda-out-of-memory",
        place: { path: "model.py", line: 2 },
        stack_source: "traceback",
        allocator: { tried_bytes: 50 * 2 ** 20, reserved_bytes: 1.5 * 2 ** 30 },
      },
      advice: expect.arrayContaining([expect.objectContaining({ rule: "reserved-not-allocated" })]),
    });
    expect(value.report.last[0]).toMatchObject({ t_ms: expect.any(Number), mem_available_bytes: expect.any(Number) });
  });
});

describe("why, of a run that ended well", () => {
  it("says so, and that there is no advice", async () => {
    const project = makeProject();
    ({ run } = project);
    const text = await printed(false);
    project.remove();
    expect(text).toContain("This run did not end because memory ran out.\n\nThere is no advice on its memory.\n");
  });
});
