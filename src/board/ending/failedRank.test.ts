import { describe, expect, it } from "vitest";
import type { ProcessInfo } from "../../profile/model.ts";
import { outputOfRanks } from "./failedRank.ts";

const PROCESSES: readonly ProcessInfo[] = [
  { pid: 10, kind: "main", label: "main" },
  { pid: 20, kind: "spawn", label: "rank 0", rank: 0, ranks: 2 },
  { pid: 21, kind: "spawn", label: "rank 1", rank: 1, ranks: 2 },
];

const raised = (line: number, message: string) => `Traceback (most recent call last):
  File "/project/train.py", line ${line}, in <module>
    step()
${message}
`;
const OOM = raised(7, "RuntimeError: CUDA out of memory. Tried to allocate 50.00 MiB");
const CLOSED = raised(9, "RuntimeError: [enforce fail] Connection closed by peer [127.0.0.1]:4711");

/** As PyTorch 1.13 prints it; of each rank its exit code, the last one as the root cause. */
function torchrun(failed: readonly (readonly [rank: number, code: number])[], wraps = "1.13"): string {
  const row = ([rank, code]: readonly [number, number], at: number) =>
    `[${at}]:\n  time      : 2026-11-29_01:45:50\n  host      : nano\n  rank      : ${rank} (local_rank: ${rank})\n` +
    `  exitcode  : ${code} (pid: ${20 + rank})\n  error_file: <N/A>\n  traceback : To enable traceback see: https://pytorch.org\n`;
  const others = failed.slice(0, -1).map(row).join("") || "  <NO_OTHER_FAILURES>\n";
  const root = failed.slice(-1).map((one) => row(one, failed.length - 1));
  return `ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 1 (pid: 21) of binary: python3
Traceback (most recent call last):
  File "/usr/bin/torchrun", line 8, in <module>
    sys.exit(main())
  File "/usr/lib/python3/dist-packages/torch/distributed/launcher/api.py", line 246, in launch_agent
    raise ChildFailedError(
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:${wraps === "1.13" ? " " : ""}
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
${others}------------------------------------------------------------
Root Cause (first observed failure):
${root.join("")}============================================================
`;
}

const of = (stderr: string) => {
  const { failed, said } = outputOfRanks(stderr, { processes: PROCESSES });
  return { failed, kind: said?.kind, line: said?.raised?.frames[0]?.line };
};

describe("the rank that failed", () => {
  it("is none where no launcher speaks", () => {
    expect(outputOfRanks(OOM, { processes: PROCESSES })).toMatchObject({
      text: OOM,
      said: { kind: "cuda-out-of-memory" },
    });
    expect(of(OOM).failed).toBeUndefined();
    expect(outputOfRanks("", { processes: [] })).toEqual({ text: "" });
  });

  it("is torchrun's only one, and its own exception is the one that counts", () => {
    expect(of(`${OOM}${torchrun([[1, 1]])}`)).toEqual({
      failed: { rank: 1, killed: false },
      kind: "cuda-out-of-memory",
      line: 7,
    });
    const { text } = outputOfRanks(`${CLOSED}${torchrun([[1, 1]], "2.9")}`, { processes: PROCESSES });
    expect(text).toContain("Connection closed");
    expect(text).not.toContain("ChildFailedError");
  });

  it("is the one that was killed, whichever torchrun saw first", () => {
    const failed = { rank: 1, killed: true };
    expect(of(torchrun([[1, -9]])).failed).toEqual(failed);
    const ranks = [
      [1, -9],
      [0, 1],
    ] as const;
    expect(of(`${CLOSED}${torchrun(ranks)}`).failed).toEqual(failed);
    expect(of(`${CLOSED}${torchrun([...ranks].reverse())}`).failed).toEqual(failed);
  });

  it("is one that says why before one that was killed: launchers kill the others", () => {
    const slurm = "srun: error: nano: task 0: Exited with exit code 1\nsrun: error: nano: tasks 1-3: Killed\n";
    expect(of(`${OOM}${slurm}`)).toEqual({
      failed: { rank: 0, killed: false },
      kind: "cuda-out-of-memory",
      line: 7,
    });
    const ranks = [
      [0, -9],
      [1, 1],
    ] as const;
    expect(of(`${OOM}${torchrun(ranks)}`).failed).toEqual({ rank: 1, killed: false });
  });

  it("is not one that torchrun ended itself", () => {
    const ranks = [
      [0, -15],
      [1, 1],
    ] as const;
    expect(of(`${OOM}${torchrun(ranks)}`).failed).toEqual({ rank: 1, killed: false });
  });

  it("is not known where several failed in one look and their lines do not say whose they are", () => {
    const ranks = [
      [1, 1],
      [0, 1],
    ] as const;
    // What the others say afterwards does not hide the reason.
    expect(of(`${OOM}${CLOSED}${torchrun(ranks)}`)).toEqual({ failed: undefined, kind: "cuda-out-of-memory", line: 7 });
    expect(of(`${CLOSED}${torchrun(ranks)}`)).toEqual({ failed: undefined, kind: undefined, line: undefined });
  });

  it.each(["rank", "default"])("is the one whose lines speak of memory: [%s1]:", (name) => {
    const [zero, one] = [CLOSED.split("\n"), OOM.split("\n")];
    // Both at once, as they print.
    const mixed = one.flatMap((line, at) => [`[${name}1]: ${line}`, `[${name}0]: ${zero[at]}`]).join("\n");
    const stderr = `${mixed}\n${torchrun([
      [1, 1],
      [0, 1],
    ])}`;
    expect(of(stderr)).toEqual({ failed: { rank: 1, killed: false }, kind: "cuda-out-of-memory", line: 7 });
    expect(outputOfRanks(stderr, { processes: PROCESSES }).text).toBe(`${OOM}\n`);
  });

  const dashes = `${"-".repeat(74)}\n`;
  it.each<[string, string, { rank?: number; killed: boolean }]>([
    [
      "Open MPI",
      `${dashes}mpirun noticed that process rank 1 with PID 21 on node nano exited on signal 9 (Killed).\n${dashes}`,
      { rank: 1, killed: true },
    ],
    [
      "Open MPI, its lines wrapped",
      `${dashes}mpiexec noticed that process rank 0 with PID 20 on node nano exited on \nsignal 6 (Aborted).\n${dashes}`,
      { rank: 0, killed: false },
    ],
    [
      "Open MPI, with an exit code",
      `mpirun detected that one or more processes exited with non-zero status, thus causing\nthe job to be terminated. The first process to do so was:\n\n  Process name: [[40318,1],1]\n  Exit code:    1\n${dashes}`,
      { rank: 1, killed: false },
    ],
    ["Open MPI 5", `   Process name: [prterun-nano-1234@1,1]\n   Exit code:    137\n`, { rank: 1, killed: true }],
    [
      "Slurm",
      "slurmstepd: error: Detected 1 oom_kill event in StepId=12.0.\nsrun: error: nano: task 1: Out Of Memory\n",
      { rank: 1, killed: true },
    ],
    ["Slurm, killed", "srun: error: nano: tasks 1-3: Killed\n", { rank: 1, killed: true }],
    ["Slurm, failed", "srun: error: nano: task 0: Exited with exit code 1\n", { rank: 0, killed: false }],
  ])("is what %s says", (_, said, failed) => {
    expect(of(`${failed.killed ? "" : OOM}${said}`)).toEqual({
      failed,
      kind: failed.killed ? undefined : "cuda-out-of-memory",
      line: failed.killed ? undefined : 7,
    });
  });

  it("is one, and nobody says which, where the launcher ends as a process does that is killed", () => {
    // MPICH names pids only in its standard output, and of those that it ended itself.
    for (const code of [9, 137]) {
      expect(outputOfRanks("", { processes: PROCESSES, exit: { kind: "exited", code } })).toEqual({
        failed: { killed: true },
        text: "",
      });
    }
    for (const run of [
      { processes: PROCESSES, exit: { kind: "exited", code: 1 } as const },
      { processes: PROCESSES.slice(0, 2), exit: { kind: "exited", code: 9 } as const },
      { processes: PROCESSES },
    ]) {
      expect(outputOfRanks("", run)).toEqual({ text: "" });
    }
    const said = outputOfRanks(OOM, { processes: PROCESSES, exit: { kind: "exited", code: 9 } }).said;
    expect(said?.kind).toBe("cuda-out-of-memory");
  });

  it("is not one of a step that was tried again long before", () => {
    expect(of(`srun: error: nano: task 1: Killed\n${"epoch\n".repeat(4_000)}`).failed).toBeUndefined();
  });

  it("is one of many, in no time", () => {
    const many = "srun: error: n: task 1: Killed\n".repeat(30_000);
    expect(of(`${many}${"[rank1]: x\n".repeat(30_000)}${many}`).failed).toEqual({ rank: 1, killed: true });
  });

  it("is found behind much that looks like it", () => {
    const long = `${"Process name: [".repeat(20_000)}${"srun: error: ".repeat(20_000)}noticed${" \n".repeat(200_000)}`;
    const stderr = `${long}\n${OOM.repeat(2_000)}${CLOSED.repeat(2_000)}${torchrun([[1, -9]])}`;
    expect(of(stderr).failed).toEqual({ rank: 1, killed: true });
  });
});
