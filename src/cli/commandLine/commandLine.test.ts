import { describe, expect, it } from "vitest";
import type { ProfileCommand } from "../run/profileCommandLine.ts";
import { type Command, parseCommandLine } from "./commandLine.ts";

function parse(text: string): Command {
  return parseCommandLine(text === "" ? [] : text.split(" "));
}
function profile(text: string): ProfileCommand {
  const command = parse(`profile ${text}`);
  if (command.kind !== "profile") throw new Error(`got ${command.kind}`);
  return command;
}

describe("profile", () => {
  it("takes our options before the script", () => {
    expect(profile("--target local --exact --exclude *.bin --exclude=data/ train.py")).toEqual({
      kind: "profile",
      entry: { kind: "script", path: "train.py" },
      args: [],
      target: "local",
      engine: "line",
      exact: true,
      accelerator: true,
      environment: {},
      excludes: ["*.bin", "data/"],
      metric: "rss",
      json: false,
      quiet: false,
    });
  });

  it("takes them after the script too, and leaves the script the rest in its order", () => {
    const command = profile(
      "train.py --epochs 2 --target ssh://nano@10.0.0.2 -v --lr=0.1 --quiet data --no-accelerator",
    );
    expect(command.args).toEqual(["--epochs", "2", "-v", "--lr=0.1", "data"]);
    expect(command).toMatchObject({ target: "ssh://nano@10.0.0.2", quiet: true, accelerator: false });
  });

  it("takes variables for the script, a value with = or nothing in it too", () => {
    const command = profile("--target local --env OMP_NUM_THREADS=2 train.py --env A=b=c --env=EMPTY=");
    expect(command.environment).toEqual({ OMP_NUM_THREADS: "2", A: "b=c", EMPTY: "" });
    expect(command.args).toEqual([]);
  });

  it.each(["OMP_NUM_THREADS", "=2", "1A=2", "A-B=2"])(
    "refuses %j as a variable and shows how one is written",
    (word) => {
      expect(() => profile(`--target local --env ${word} train.py`)).toThrow(/--env takes a variable and its value/);
    },
  );

  it("takes what is to be recorded of PyTorch, with a value after = or without one", () => {
    expect(profile("--target local train.py").torch).toBeUndefined();
    expect(profile("--target local --snapshots train.py --exact-cuda-peaks").torch).toEqual({
      exactPeaks: true,
      snapshots: { entries: 100_000 },
    });
    expect(profile("--target local train.py --snapshots=500 --model=5 --try nano-batch:4").torch).toEqual({
      exactPeaks: false,
      snapshots: { entries: 500 },
      model: { steps: 5, trial: { kind: "nano-batch", chunks: 4 } },
    });
    expect(profile("--target local --try=amp train.py").torch).toEqual({
      exactPeaks: false,
      model: { steps: 3, trial: { kind: "amp" } },
    });
    expect(profile("--target local --model train.py 7")).toMatchObject({
      entry: { path: "train.py" },
      args: ["7"],
      torch: { model: { steps: 3 } },
    });
  });

  it("takes how seldom native stacks are sampled, in KiB", () => {
    expect(profile("--target local train.py").heap).toBeUndefined();
    expect(profile("--target local --native-stacks train.py 7")).toMatchObject({ heap: { mean: 524288 }, args: ["7"] });
    expect(profile("--target local --native-stacks=64 train.py").heap).toEqual({ mean: 65536, lines: [] });
    expect(profile("--target local --native-stacks --massif-line a.py:3 train.py").heap?.lines).toEqual([
      { path: "a.py", line: 3 },
    ]);
  });

  it.each([
    ["--native-stacks=3", /--native-stacks=N takes a whole number from 4 to 8192, not "3"/],
    ["--native-stacks --engine massif", /--native-stacks needs the line engine, not massif/],
    ["--snapshots=0", /--snapshots=N takes a whole number from 1 to 1000000/],
    ["--model=1.5", /--model=N takes/],
    ["--try magic", /--try is checkpoint:LAYERS/],
    ["--try nano-batch:1", /--try is/],
    ["--try amp:2", /--try is/],
    ["--snapshots --engine massif", /--snapshots needs the line engine, not massif/],
    ["--model --engine memory_profiler", /--model needs the line engine/],
  ])("refuses %s in words", (options, message) => {
    expect(() => profile(`--target local train.py ${options}`)).toThrow(message);
  });

  it("leaves everything after -- to the script", () => {
    expect(profile("train.py a --target local -- --json --out x -- y").args).toEqual([
      "a",
      "--json",
      "--out",
      "x",
      "--",
      "y",
    ]);
    expect(profile("--target local -- train.py --json")).toMatchObject({
      entry: { kind: "script", path: "train.py" },
      args: ["--json"],
      json: false,
    });
  });

  it("runs modules as python does: what follows the name is the module's", () => {
    expect(profile("--target local -m pkg.train --epochs 2 -m x")).toMatchObject({
      entry: { kind: "module", name: "pkg.train" },
      args: ["--epochs", "2", "-m", "x"],
    });
  });

  it("takes what massif needs", () => {
    expect(profile("--target local --engine massif train.py --gpu").massif).toEqual({
      threshold: 0.1,
      pagesAsHeap: false,
      gpu: true,
      frames: true,
      lines: [],
      anyway: false,
    });
    const text =
      "--target local --engine massif --massif-line a.py:3 --pages-as-heap --massif-line=b/c:d.py:12 --no-python-frames " +
      "--threshold 1 --anyway train.py";
    expect(profile(text).massif).toEqual({
      threshold: 1,
      pagesAsHeap: true,
      gpu: false,
      frames: false,
      lines: [
        { path: "a.py", line: 3 },
        { path: "b/c:d.py", line: 12 },
      ],
      anyway: true,
    });
  });

  it("keeps the script's own help, version and short options", () => {
    expect(profile("--target local train.py --help -h -m --version").args).toEqual(["--help", "-h", "-m", "--version"]);
    expect(parse("profile --help train.py")).toEqual({ kind: "help", topic: "profile" });
  });

  it("keeps empty arguments and such with blanks", () => {
    const command = parseCommandLine(["profile", "a b.py", "", "x y", "--target=local"]);
    expect(command).toMatchObject({ entry: { path: "a b.py" }, args: ["", "x y"] });
  });

  it.each([
    ["train.py", "--target"],
    ["--target local", "Name a script"],
    ["train.py --target", "needs a value"],
    ["--target local --frobnicate train.py", "--frobnicate"],
    ["--target local train.py --exact=yes", "exact"],
    ["--target local --engine tracemalloc train.py", "line or memory_profiler or massif"],
    ["--target local --gpu train.py", "--gpu needs --engine massif"],
    ["--target local --massif-line a.py:3 train.py", "--massif-line needs --engine massif or --native-stacks"],
    ["--target local --native-stacks --massif-line a.py train.py", "such as train.py:33"],
    ["--target local --native-stacks --gpu train.py", "--gpu needs --engine massif"],
    ["--target local --engine massif --massif-line a.py train.py", "such as train.py:33"],
    ["--target local --engine massif --massif-line a.py:0 train.py", "such as train.py:33"],
    ["--target local --engine massif --threshold 0 train.py", "0.001 to 100"],
    ["--target local --engine massif --threshold much train.py", "0.001 to 100"],
    ["--target local -m", "not the name"],
    ["--target local -m a-b", "not the name"],
  ])("profile %s is refused", (text, reason) => {
    expect(() => profile(text)).toThrow(
      expect.objectContaining({ code: "usage", message: expect.stringContaining(reason) }),
    );
  });
});

describe("the other commands", () => {
  it.each([
    ["", { kind: "help" }],
    ["--help", { kind: "help" }],
    ["show -h", { kind: "help", topic: "show" }],
    ["help", { kind: "help" }],
    ["help runs", { kind: "help", topic: "runs" }],
    ["help runs prune", { kind: "help", topic: "runs prune" }],
    ["runs prune --help", { kind: "help", topic: "runs prune" }],
    ["completion fish", { kind: "completion", shell: "fish" }],
    ["--version", { kind: "version" }],
    ["show last", { kind: "show", run: "last", format: "table", metric: "rss" }],
    ["show 2026 --json", { kind: "show", run: "2026", format: "json", metric: "rss" }],
    [
      "profile --target nano --launch torchrun --nproc-per-node 2 train.py --epochs 1 --target x",
      expect.objectContaining({
        launch: ["torchrun", "--nproc-per-node", "2"],
        entry: { kind: "script", path: "train.py" },
        args: ["--epochs", "1", "--target", "x"],
        target: "nano",
      }),
    ],
    [
      "profile train.py --target nano -- --launch x",
      expect.objectContaining({ entry: { kind: "script", path: "train.py" }, args: ["--launch", "x"] }),
    ],
    ["show x --ranks 3", { kind: "show", run: "x", format: "table", metric: "rss", ranks: { kind: "rank", rank: 3 } }],
    ["show x --metric all", { kind: "show", run: "x", format: "table", metric: "all" }],
    [
      "show x --format memory_profiler --file a.py",
      { kind: "show", run: "x", format: "memory_profiler", file: "a.py", metric: "rss" },
    ],
    ["runs --project p", { kind: "runs", does: "list", order: "newest", json: false, project: "p" }],
    [
      "attach last --python python3.8",
      { kind: "attach", run: "last", once: false, json: false, quiet: false, python: "python3.8" },
    ],
    [
      "attach last --target nano@10.0.0.9",
      { kind: "attach", run: "last", once: false, json: false, quiet: false, target: "nano@10.0.0.9" },
    ],
    [
      "attach last --once --since=-10m",
      { kind: "attach", run: "last", once: true, since: { from: "end", ms: 600_000 }, json: false, quiet: false },
    ],
    ["attach last --quiet", { kind: "attach", run: "last", once: false, json: false, quiet: true }],
  ])("%s", (text, command) => {
    expect(parse(text)).toEqual(command);
  });

  it.each([
    "frobnicate",
    "show",
    "show a b",
    "show a --format xml",
    "show a --ranks most",
    "profile --target nano --launch",
    "profile --target nano --launch train.py",
    "profile --target nano --launch torchrun -m pkg.train",
    "profile --target nano train.py --launch torchrun other.py",
    "profile --target nano --engine massif --launch torchrun train.py",
    "show a --json --format table",
    "runs extra",
    "attach",
  ])("%s is refused", (text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: "usage" }));
  });

  it("keeps a hint that says more than where the help is", () => {
    expect(() => parse("check --max-peak much")).toThrow(
      expect.objectContaining({ code: "usage", hint: expect.stringContaining("GiB") }),
    );
  });

  it.each([
    ["porfile train.py", 'There is no command "porfile". Did you mean "profile"?', "jetson-memprof --help"],
    ["help shwo", 'There is no command "shwo". Did you mean "show"?', "jetson-memprof --help"],
    [
      "profile --enigne massif t.py",
      "Unknown option '--enigne'. Did you mean --engine?",
      "jetson-memprof profile --help",
    ],
    [
      "runs prune --max-rusn 3",
      "Unknown option '--max-rusn'. Did you mean --max-runs?",
      "jetson-memprof runs prune --help",
    ],
    ["snapshot x --top", "The option --top needs a value after it.", "jetson-memprof snapshot --help"],
    [
      "snapshot x --top -1",
      "The option --top needs a value after it. One that begins with a dash is written --top=-….",
      "jetson-memprof snapshot --help",
    ],
    ["show last --zzzzzzzz", "Unknown option '--zzzzzzzz'.", "jetson-memprof show --help"],
    ["completion tcsh", 'SHELL is bash or zsh or fish, not "tcsh".', "jetson-memprof completion --help"],
  ])("%s: what was meant, and where to read on", (text, message, where) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: "usage", message, hint: `See "${where}".` }));
  });
});

describe("watch", () => {
  it("takes the target, the interval in seconds and the form", () => {
    expect(parse("watch --target nano")).toEqual({ kind: "watch", target: "nano", intervalMs: 1_000, json: false });
    expect(parse("watch --target local --interval 0.25 --json --python python3.8")).toEqual({
      kind: "watch",
      target: "local",
      intervalMs: 250,
      json: true,
      python: "python3.8",
    });
    expect(parse("watch --help")).toEqual({ kind: "help", topic: "watch" });
  });

  it("says what is missing or wrong", () => {
    expect(() => parse("watch")).toThrow("Name a target to watch");
    for (const interval of ["0.2", "61", "often", "-1"]) {
      expect(() => parse(`watch --target nano --interval=${interval}`)).toThrow(
        `--interval is a number of seconds from 0.25 to 60, not "${interval}".`,
      );
    }
  });
});
