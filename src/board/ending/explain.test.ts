import { describe, expect, it } from "vitest";
import type { Exit, RunInfo } from "../../profile/model.ts";
import type { Moment } from "../moments/model.ts";
import { boardMoment, finishedRun, type Load, MIB, RUN_PID } from "../testing.ts";
import { type EndingInput, explainEnding } from "./explain.ts";
import type { EndingReport } from "./model.ts";

const ROOT = "/home/nano/.jetson-memprof/projects/lenet-1a2b";

function run(exit: Exit | undefined, changes: Partial<RunInfo> = {}): RunInfo {
  return finishedRun({
    ...(exit === undefined ? {} : { exit }),
    lastLines: [
      { pid: 9, thread: "MainThread", path: "data.py", line: 2 },
      { pid: RUN_PID, thread: "Thread-1", path: "data.py", line: 3 },
      {
        pid: RUN_PID,
        thread: "MainThread",
        path: "train.py",
        line: 33,
        stack: [
          { path: "train.py", line: 88 },
          { path: "train.py", line: 33 },
        ],
      },
    ],
    ...changes,
  });
}

function table(loads: readonly Load[]): { size: number; moment(i: number): Moment } {
  return {
    size: loads.length,
    moment: (i) => boardMoment("nano", loads[i]),
  };
}

const FULL: Load = {
  t: 9000,
  run: { anon: 2700, file: 80, shmem: 0 },
  pageCache: 20,
  swapUsed: 1982,
  at: ["train.py", 33],
};
const noSwap = (moment: Moment): Moment => ({
  ...moment,
  meminfo: { ...moment.meminfo, SwapTotal: 0, SwapFree: 0 },
});
const ROOMY: Load = { t: 9000, run: { anon: 300, file: 80, shmem: 0 } };

function explain(exit: Exit | undefined, more: Partial<EndingInput> = {}): EndingReport | undefined {
  return explainEnding({ run: run(exit), sharedMemory: true, stderr: "", projectRoot: ROOT, ...more });
}

function traceback(message: string): string {
  return `Traceback (most recent call last):
  File "${ROOT}/train.py", line 40, in <module>
    main()
  File "${ROOT}/lib/net.py", line 12, in forward
    return self.conv(x)
  File "${ROOT}/venv/lib/python3.6/site-packages/torch/nn/conv.py", line 7, in forward
    return F.conv2d(x)
${message}
`;
}
const OOM = traceback(
  "RuntimeError: CUDA out of memory. Tried to allocate 50.00 MiB (GPU 0; 3.87 GiB total capacity; 1.25 GiB already " +
    "allocated; 20.50 MiB free; 1.50 GiB reserved in total by PyTorch)",
);
const FAILED: Exit = { kind: "exited", code: 1 };
const SIGKILL: Exit = { kind: "signalled", signal: "SIGKILL" };

describe("a run that did not run out of memory", () => {
  it.each<[string, Exit | undefined, string]>([
    ["goes on", undefined, OOM],
    ["ended well after it had got over an error", { kind: "exited", code: 0 }, OOM],
    ["was cancelled", { kind: "cancelled", signal: "SIGKILL" }, OOM],
    ["was not started", { kind: "not-started", message: "no such file" }, ""],
    ["failed for another reason", FAILED, traceback("KeyError: 'MemoryError in a message'")],
    ["failed for another reason after an error it got over", FAILED, `${OOM}next try\n${traceback("KeyError: 'x'")}`],
    ["failed without a word", FAILED, ""],
    ["crashed for another reason", { kind: "signalled", signal: "SIGSEGV" }, "Fatal Python error\n"],
    ["was lost while there was memory", { kind: "lost" }, ""],
  ])("has nothing to explain: it %s", (_, exit, stderr) => {
    expect(explain(exit, { stderr, moments: table([ROOMY]) })).toBeUndefined();
  });

  it("has nothing to explain while it is running, whatever it printed", () => {
    expect(explain(FAILED, { run: run(FAILED, { state: "running" }), stderr: OOM })).toBeUndefined();
  });
});

describe("a run that the kernel ended", () => {
  it("names the line of its main thread, the open lines and the kernel's own words", () => {
    const exit: Exit = {
      kind: "out-of-memory",
      signal: "SIGKILL",
      evidence: "the kernel's log says: Killed process 4242",
      kernelLog: ["Out of memory: Killed process 4242 (python3)", "Mem-Info:\u001B[2J"],
    };
    const lineText = (_: string, line: number) => `    code ${line}`;
    const report = explain(exit, { lineText, functionAt: () => "main", moments: table([ROOMY, FULL]) });
    expect(report).toMatchObject({
      kind: "kernel-out-of-memory",
      headline: "The board ran out of memory and the kernel ended the run at train.py:33.",
      sureness: "exact",
      place: { path: "train.py", line: 33 },
      stackSource: "recorded",
      stack: [
        { path: "train.py", line: 88, function: "main", text: "code 88", own: true },
        { path: "train.py", line: 33, function: "main", text: "code 33", own: true },
      ],
      evidence: "the kernel's log says: Killed process 4242",
      kernelLog: ["Out of memory: Killed process 4242 (python3)", "Mem-Info:?[2J"],
    });
    expect(report?.last.map(({ t, swapFree, runRss, at }) => [t, swapFree, runRss, at])).toEqual([
      [9000, 1982 * MIB, 380 * MIB, undefined],
      [9000, 0, 2780 * MIB, { path: "train.py", line: 33 }],
    ]);
  });

  it("shows no free swap where no swap is set up", () => {
    const moments = table([ROOMY]);
    const without = { ...moments, moment: (i: number) => noSwap(moments.moment(i)) };
    expect(explain(SIGKILL, { moments: without })?.last[0]).not.toHaveProperty("swapFree");
  });

  it("is less sure where only the whole board's count of kills tells it", () => {
    const evidence = "the kernel's count of out-of-memory kills for the board (/proc/vmstat) rose from 0 to 1";
    expect(explain({ kind: "out-of-memory", signal: "SIGKILL", evidence })?.sureness).toBe("inferred");
    const group = "the kernel's count of out-of-memory kills for this run's memory group (/x) rose from 0 to 1";
    expect(explain({ kind: "out-of-memory", signal: "SIGKILL", evidence: group })?.sureness).toBe("exact");
  });

  it("at the limit of its group is told from one that used up the board", () => {
    const killed = { kind: "out-of-memory", signal: "SIGKILL" } as const;
    const evidence = "the kernel's count of out-of-memory kills for this run's memory group (/x) rose from 0 to 1";
    const explained = (exit: Partial<Exit & { kind: "out-of-memory" }>, moment: Load) =>
      explain({ ...killed, ...exit }, { moments: table([moment]) });
    expect(explained({ evidence }, ROOMY)).toMatchObject({
      kind: "memory-limit",
      headline: "The run reached its memory limit and the kernel ended it at train.py:33.",
      sureness: "inferred",
    });
    expect(explained({ evidence }, FULL)?.kind).toBe("kernel-out-of-memory");
    const moments = table([ROOMY]);
    const container = { used: 500 * 2 ** 20, limit: 512 * 2 ** 20 };
    const inContainer = { ...moments, moment: (i: number) => ({ ...moments.moment(i), container }) };
    expect(explain({ ...killed, evidence }, { moments: inContainer })?.meaning).toContain(
      "At the last moment the run's container used 500.0 MiB of its limit of 512.0 MiB.",
    );
    const kernelLog = [
      "oom-kill:constraint=CONSTRAINT_MEMCG,oom_memcg=/docker/1",
      "Memory cgroup out of memory: Killed",
    ];
    expect(explained({ evidence, kernelLog }, FULL)).toMatchObject({ kind: "memory-limit", sureness: "exact" });
    expect(explained({ evidence, kernelLog: ["Out of memory: Killed process 1"] }, ROOMY)?.kind).toBe(
      "kernel-out-of-memory",
    );
  });
});

describe("a run that was killed by nobody knows whom", () => {
  it("is most likely the kernel's where the last records show no memory left", () => {
    const report = explain(SIGKILL, { moments: table([FULL, { t: 9200 }]) });
    expect(report).toMatchObject({ kind: "killed", sureness: "inferred", place: { path: "train.py", line: 33 } });
    expect(report?.headline).toMatch(
      /^The run was killed \(SIGKILL\) at train\.py:33, when \d+\.\d MiB of memory were left\.$/,
    );
    expect(report?.meaning).toContain("most likely was the kernel's out-of-memory killer");
    expect(report?.last).toHaveLength(1);
  });

  it("is hardly the kernel's where swap was left, and says how long before the end that was seen", () => {
    const last: Load = { ...FULL, swapUsed: 0, cuda: { allocated: 90, reserved: 100, context: 50 } };
    const report = explain(SIGKILL, { moments: table([last]), run: run(SIGKILL, { elapsedMs: 9800 }) });
    expect(report?.headline).toBe("The run was killed (SIGKILL) at train.py:33.");
    expect(report?.meaning).toMatch(
      /^The record 800 ms before the end shows \d+\.\d MiB of memory and 1982\.0 MiB of swap left\. The kernel seldom ends/,
    );
    expect(report?.meaning).toContain("memory of the GPU, which cannot go there");
  });

  it("is the kernel's where swap was used up after memory already was", () => {
    const loads = [
      { ...FULL, swapUsed: 200 },
      { ...FULL, t: 9500 },
    ];
    const report = explain(SIGKILL, { moments: table(loads), run: run(SIGKILL, { elapsedMs: 9800 }) });
    expect(report?.meaning).toMatch(
      /^The record 300 ms before the end shows .* and 0 B of swap left, so it most likely was/,
    );
  });

  it("may be somebody's where there was memory left, and says when nothing was recorded", () => {
    const roomy = explain(SIGKILL, { moments: table([ROOMY]) });
    expect(roomy?.headline).toBe("The run was killed (SIGKILL) at train.py:33.");
    expect(roomy?.meaning).toContain("someone may have killed it");
    expect(explain(SIGKILL)?.meaning).toContain("no record of the memory");
  });

  it("of which the recording broke off counts only with memory nearly used up", () => {
    expect(explain({ kind: "lost" }, { moments: table([FULL]) })).toMatchObject({
      kind: "killed",
      headline: "The recording broke off at train.py:33 while memory was nearly used up.",
    });
  });
});

describe("a run that failed with words of memory", () => {
  it("names the project's innermost line of the traceback, its stack, and PyTorch's figures", () => {
    expect(explain(FAILED, { stderr: `epoch 1\n${OOM}` })).toMatchObject({
      kind: "cuda-out-of-memory",
      headline: "CUDA could get no more memory at lib/net.py:12.",
      sureness: "exact",
      place: { path: "lib/net.py", line: 12 },
      stackSource: "traceback",
      stack: [
        { path: "train.py", line: 40, function: "<module>", text: "main()", own: true },
        { path: "lib/net.py", line: 12, function: "forward", own: true },
        { path: `${ROOT}/venv/lib/python3.6/site-packages/torch/nn/conv.py`, line: 7, own: false },
      ],
      message: expect.stringMatching(/^RuntimeError: CUDA out of memory\. Tried to allocate 50\.00 MiB/),
      allocator: { form: "up-to-2.0", tried: 50 * MIB },
    });
  });

  it.each([
    [
      "nvml-assert",
      'RuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":838',
    ],
    ["cuda-driver-out-of-memory", "RuntimeError: CUDA driver error: out of memory"],
    ["cuda-out-of-memory", "RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED"],
    ["cuda-out-of-memory", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate more than 1EB memory."],
    ["errno-12", "OSError: [Errno 12] Cannot allocate memory"],
    ["memory-error", "MemoryError"],
    ["memory-error", "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 4.00 GiB for an array"],
    ["memory-error", "RuntimeError: [enforce fail at alloc_cpu.cpp:73] . DefaultCPUAllocator: can't allocate memory"],
    ["killed", "RuntimeError: DataLoader worker (pid 4267) is killed by signal: Killed."],
  ])("is %s: %s", (kind, message) => {
    expect(explain(FAILED, { stderr: traceback(message) })).toMatchObject({
      kind,
      place: { path: "lib/net.py", line: 12 },
    });
  });

  it("is where the exception was raised first, not where it was passed on or stumbled over", () => {
    const cause = "\nThe above exception was the direct cause of the following exception:\n\n";
    const during = "\nDuring handling of the above exception, another exception occurred:\n\n";
    const passedOn = traceback("MemoryError: again").replace("net.py", "pool.py");
    expect(explain(FAILED, { stderr: `${traceback("MemoryError")}${cause}${passedOn}` })?.place?.path).toBe(
      "lib/net.py",
    );
    const stumbled = `${OOM}${during}${traceback("NameError: name 'batch' is not defined").replace("net.py", "x.py")}`;
    expect(explain(FAILED, { stderr: stumbled })).toMatchObject({
      kind: "cuda-out-of-memory",
      place: { path: "lib/net.py", line: 12 },
      headline: expect.stringMatching(/net\.py:12\. Then it failed with NameError: name 'batch' is not defined\.$/),
    });
  });

  it("with a worker that the kernel ended says so", () => {
    const warnings = [{ code: "out-of-memory", message: "During the run the board ran out of memory." }];
    const stderr = traceback("RuntimeError: DataLoader worker (pid 4267) is killed by signal: Killed.");
    expect(explain(FAILED, { run: run(FAILED, { warnings }), stderr })).toMatchObject({
      kind: "kernel-out-of-memory",
      headline: "A worker process was killed at lib/net.py:12, and the run ended with it.",
      evidence: "During the run the board ran out of memory.",
    });
  });

  it("is NvMap's where the driver complained before CUDA failed, or before a crash", () => {
    const nvmap = "NvMapMemAllocInternalTagged: 1075072515 error 12\nNvMapMemHandleAlloc: error 0\n";
    const failed = traceback("RuntimeError: CUDA error: unknown error");
    expect(explain(FAILED, { stderr: nvmap + failed })).toMatchObject({ kind: "nvmap-error-12", stackSource: "none" });
    expect(explain({ kind: "signalled", signal: "SIGABRT" }, { stderr: nvmap })).toMatchObject({
      kind: "nvmap-error-12",
      place: { path: "train.py", line: 33 },
      sureness: "inferred",
    });
    expect(explain(FAILED, { stderr: nvmap + traceback("KeyError: 'x'") })).toBeUndefined();
  });

  it("finds its own lines without knowing the project's folder, and by relative names", () => {
    const { projectRoot: _, ...rest } = { projectRoot: ROOT, run: run(FAILED), sharedMemory: true, stderr: OOM };
    expect(explainEnding(rest)?.place).toEqual({ path: "lib/net.py", line: 12 });
    const relative = OOM.replaceAll(`${ROOT}/`, "./");
    expect(explainEnding({ ...rest, stderr: relative })?.place).toEqual({ path: "lib/net.py", line: 12 });
    const outside = OOM.replaceAll(`${ROOT}/`, "../");
    expect(explainEnding({ ...rest, stderr: outside })?.place).toBeUndefined();
  });

  it("speaks of the graphics card's memory on a PC, of shared memory on a Jetson", () => {
    expect(explain(FAILED, { stderr: OOM })?.meaning).toContain("share the board's RAM");
    expect(explain(FAILED, { stderr: OOM, sharedMemory: false })?.meaning).toContain("graphics card");
  });
});

describe("a run of several ranks", () => {
  const processes: RunInfo["processes"] = [
    { pid: RUN_PID, kind: "main", label: "main" },
    { pid: 20, kind: "spawn", label: "rank 0", rank: 0, ranks: 2 },
    { pid: 21, kind: "spawn", label: "rank 1", rank: 1, ranks: 2 },
  ];
  const lastLines = [
    { pid: 20, thread: "MainThread", path: "train.py", line: 40 },
    { pid: 21, thread: "MainThread", path: "lib/net.py", line: 12 },
  ];
  const launched = (changes: Partial<RunInfo> = {}) => run(FAILED, { processes, lastLines, ...changes });
  const killed = "mpirun noticed that process rank 1 with PID 21 on node nano exited on signal 9 (Killed).\n";

  it("names the one that was killed, where that was, and the kernel where it did it", () => {
    expect(explain(FAILED, { run: launched(), stderr: killed })).toMatchObject({
      kind: "killed",
      rank: 1,
      headline: "Rank 1 was killed at lib/net.py:12, and the run ended with it.",
      sureness: "inferred",
      stackSource: "recorded",
    });
    const warnings = [{ code: "out-of-memory", message: "During the run the board ran out of memory." }];
    expect(explain(FAILED, { run: launched({ warnings, lastLines: [] }), stderr: killed })).toMatchObject({
      kind: "kernel-out-of-memory",
      headline: "Rank 1 was killed, and the run ended with it.",
      stack: [],
      evidence: "During the run the board ran out of memory.",
    });
  });

  it("names the one that CUDA had no more memory for", () => {
    const stderr = `${OOM}srun: error: nano: task 1: Exited with exit code 1\n`;
    expect(explain(FAILED, { run: launched(), stderr })).toMatchObject({
      kind: "cuda-out-of-memory",
      rank: 1,
      headline: "Rank 1: CUDA could get no more memory at lib/net.py:12.",
    });
  });

  it("says that a process was killed where its rank is not known", () => {
    const exit = { kind: "exited", code: 9 } as const;
    expect(explain(exit, { run: launched({ exit }) })).toMatchObject({
      headline: "A worker process was killed, and the run ended with it.",
      stackSource: "none",
    });
  });
});

describe("a run under massif", () => {
  const message = "Valgrind itself could get no more memory on the board and ended the script.";
  const warnings = [{ code: "massif-out-of-memory", message }];
  it("says what its own warning says", () => {
    const info = run(FAILED, { warnings, engine: { name: "massif", exact: false, accelerator: false } });
    expect(explain(FAILED, { run: info })).toMatchObject({
      kind: "memory-error",
      headline: "Valgrind could get no more memory at train.py:33.",
      meaning: message,
    });
    const killed = run({ kind: "out-of-memory", signal: "SIGKILL" }, { warnings });
    expect(explain(FAILED, { run: killed })).toMatchObject({ kind: "kernel-out-of-memory", meaning: message });
  });
});
