/** Runs for the tests of exports: a training on a made-up board as a run folder, and profiles made of random figures. */

import * as fs from "node:fs";
import { seeded } from "../../../test/faults/support/random.ts";
import { boardLines, RUN_PID, training } from "../../board/testing.ts";
import { present } from "../../profile/files/jsonRecords.ts";
import type {
  CudaFigures,
  FileProfile,
  FunctionRow,
  LineRow,
  Phase,
  Profile,
  SystemFigures,
} from "../../profile/model.ts";
import { PHASES } from "../../profile/model.ts";
import { jsonLines, MIB, makeProject, runJson } from "../../profile/testing.ts";

const NET = `import torch
from torch import nn


class LeNet(nn.Module):
    """A small network <of 5 layers> & "more"."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, 5),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.head = nn.Linear(64 * 14 * 14, 10)

    def forward(self, x):
        kept = self.features(x)
        return self.head(kept.flatten(1))
`;

const TRAIN = `import argparse

import torch

from lenet import LeNet


def batches(count, size):
    for _ in range(count):
        yield torch.rand(size, 3, 32, 32), torch.randint(0, 10, (size,))


def step(net, optimizer, images, labels):
    loss = torch.nn.functional.cross_entropy(net(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=64)
    options = parser.parse_args()
    net = LeNet().to("cuda")
    optimizer = torch.optim.Adam(net.parameters())
    for images, labels in batches(200, options.batch_size):
        print(step(net, optimizer, images.to("cuda"), labels.to("cuda")))


main()
`;

/** Sizes in MiB: hits, net, self, largest, peak, usage. */
const row = (file: number, line: number, hits: number, ...figures: readonly number[]) => {
  const [net = 0, self = 0, largest = 0, peak = 0, usage = 0] = figures.map((mib) => Math.round(mib * MIB));
  return [file, line, hits, net, self, largest, peak, usage, 0];
};

const cuda = (file: number, line: number, net: number, peak: number, reserved: number) => {
  const [a, b, c] = [net, peak, reserved].map((mib) => Math.round(mib * MIB)) as [number, number, number];
  return [file, line, a, a, Math.max(0, a), b, b + c, c, c, Math.max(0, c), c, 0];
};

/** A training on a simulated Jetson Nano: 40 s, RSS, CUDA and the board by line, git state, a name. */
export function makeTraining(changes: Readonly<Record<string, string>> = {}, run: object = {}) {
  const pid = RUN_PID;
  const sources = { "train.py": TRAIN, "lenet.py": NET };
  const lines = [
    { schema: 1, record: "header", run: "20261121-094501-train-3fa9" },
    { record: "process", pid, ppid: 9, kind: "main", label: "main", implementation: "accelerator" },
    {
      record: "file",
      file: 0,
      path: "train.py",
      sha256: "aa",
      lines: 31,
      functions: [
        { name: "batches", key: 8, def_line: 8, last_line: 10 },
        { name: "step", key: 13, def_line: 13, last_line: 18 },
        { name: "main", key: 21, def_line: 21, last_line: 28 },
      ],
    },
    {
      record: "file",
      file: 1,
      path: "lenet.py",
      sha256: "bb",
      lines: 19,
      functions: [
        { name: "LeNet.__init__", key: 8, def_line: 8, last_line: 15 },
        { name: "LeNet.forward", key: 17, def_line: 17, last_line: 19 },
      ],
    },
    {
      record: "rows",
      t: 40_000,
      pid,
      rows: [
        row(0, 1, 1, 0.4, 0.4, 0.4, 0.4, 9),
        row(0, 3, 1, 108.2, 108.2, 108.2, 112.5, 118),
        row(0, 5, 1, 0.1, 0, 0.1, 0.2, 118),
        row(0, 9, 201, 0, 0, 0, 0, 910),
        row(0, 10, 200, 4.5, 4.5, 0.8, 1.6, 912),
        row(0, 14, 200, 212.4, 14.2, 188.3, 240.1, 905),
        row(0, 15, 200, 0, 0, 0, 0, 905),
        row(0, 16, 200, 310.6, 310.6, 290.4, 330.2, 930),
        row(0, 17, 200, 88.1, 88.1, 86.9, 90, 940),
        row(0, 18, 200, -12.5, -12.5, 0, 0, 940),
        row(0, 22, 1, 0.2, 0.2, 0.2, 0.2, 119),
        row(0, 25, 1, 402.3, 398, 402.3, 470.8, 521),
        row(0, 26, 1, 0.1, 0.1, 0.1, 0.1, 521),
        row(0, 28, 200, 598.6, 0, 292, 420, 940),
        row(0, 31, 1, 1001, 0, 1001, 1010, 940),
        row(1, 11, 1, 0.2, 0.2, 0.2, 0.2, 121),
        row(1, 15, 1, 4.1, 4.1, 4.1, 4.1, 125),
        row(1, 18, 200, 180.2, 180.2, 171, 201.5, 900),
        row(1, 19, 200, 18, 18, 9, 21, 905),
      ],
    },
    {
      record: "functions",
      t: 40_000,
      pid,
      rows: [
        [0, 13, 200, 31_000_000_000, 598 * MIB, 420 * MIB],
        [0, 21, 1, 39_000_000_000, 1001 * MIB, 1010 * MIB],
        [1, 17, 200, 9_000_000_000, 198 * MIB, 222 * MIB],
      ],
    },
    { record: "cuda-on", t: 9000, pid, noticed_by: "counter", peaks: "bounds" },
    {
      record: "cuda",
      t: 40_000,
      pid,
      rows: [cuda(0, 25, 0.5, 0.5, 20), cuda(0, 16, 1.2, 96, 120), cuda(1, 18, 164, 180, 160), cuda(0, 17, 1, 1, 20)],
    },
    { record: "system", t: 40_000, pid, rows: [[0, 25, 712 * MIB, 712 * MIB, 310 * MIB, 65_536]] },
    ...phases(pid),
    { record: "end", t: 40_000 },
  ];
  const samples = Array.from({ length: 200 }, (_, at) => {
    const share = at / 200;
    const rss = share < 0.06 ? 9 + share * 1800 : share < 0.75 ? 120 + 820 * ((share - 0.06) / 0.69) ** 0.6 : 640;
    const wave = share > 0.3 ? 24 * Math.sin(at) : 0;
    return {
      t: at * 200,
      hits: at * 30,
      rss: Math.round((rss + wave) * MIB),
      rss_peak: Math.round(Math.max(rss + Math.abs(wave), share > 0.75 ? 972 : 0) * MIB),
      mem_available: Math.round((2900 - 1.9 * (rss + wave)) * MIB),
      at: share > 0.3 ? [0, 16] : [0, 3],
    };
  });
  const project = makeProject({
    "run.json": JSON.stringify(
      runJson({
        elapsed_ms: 40_000,
        command: { python: "python3", script: "train.py", args: ["--batch-size", "64"] },
        board: {
          model: "NVIDIA Jetson Nano Developer Kit",
          l4t: "32.7.1",
          kernel: "4.9.253-tegra",
          machine: "aarch64",
          hostname: "nano",
          cpus: 4,
          mem_total: 3964 * MIB,
          compatible: "nvidia,tegra210",
          simulated: "Jetson Nano",
        },
        environment: { PYTORCH_CUDA_ALLOC_CONF: "max_split_size_mb:128" },
        versions: { helper: "0.1.0", python: "3.6.9", torch: "1.10.0", cuda: "10.2" },
        metrics: ["rss", "cuda", "system"],
        processes: [{ pid, ppid: 9, kind: "main", label: "main", implementation: "accelerator" }],
        files: Object.keys(sources).map((name) => ({ path: name, sha256: "aa", source: `sources/${name}` })),
        warnings: [],
        ...run,
      }),
    ),
    "lines.jsonl": jsonLines(lines),
    "samples.jsonl": jsonLines([
      { schema: 1, record: "header", started_unix_ms: 1795254301123, interval_ms: 200 },
      ...samples,
    ]),
    "moments.jsonl": boardLines("nano", training(40), { simulated: "Jetson Nano" })
      .map((line) => `${line}\n`)
      .join(""),
    "git.json": JSON.stringify({
      schema: 1,
      commit: "3f2a9c0b1d4e5f60718293a4b5c6d7e8f9012345",
      branch: "main",
      changed: ["train.py"],
      truncated: false,
    }),
    "sources/train.py": TRAIN,
    "sources/lenet.py": NET,
    ...changes,
  });
  fs.writeFileSync(`${project.project}/train.py`, TRAIN);
  return project;
}

function phases(pid: number): object[] {
  const at = (t: number, phase: string, line: number, rss: number, available: number, reserved: number) => ({
    record: "phase",
    t,
    pid,
    phase,
    file: 0,
    line,
    rss: rss * MIB,
    mem_available: available * MIB,
    nvmap: null,
    allocated: Math.round(reserved * 0.8) * MIB,
    reserved: reserved * MIB,
    device_used: null,
  });
  return [
    at(900, "import-torch", 3, 9, 2890, 0),
    at(8900, "cuda", 25, 120, 2700, 0),
    at(9800, "to-device", 25, 498, 2012, 2),
    at(11_000, "first-forward", 14, 522, 1960, 22),
    at(12_500, "first-backward", 16, 704, 1700, 182),
    at(13_900, "first-step", 17, 850, 1460, 302),
    at(14_200, "steady", 18, 930, 1350, 322),
  ];
}

const NAMES = [
  "train.py",
  "pkg/model.py",
  "a, b.py",
  'quo"ted.py',
  "=sum.py",
  "'apostrophe.py",
  "naïve-日本.py",
  "-x.py",
];

/** Figures of all kinds; some are not known. */
export function randomProfile(seed: number): Profile {
  const { next: random, below } = seeded(seed);
  const bytes = () => below(2 ** 31);
  const change = () => bytes() - 2 ** 30;
  const maybe = <T>(make: () => T): T | undefined => (random() < 0.8 ? make() : undefined);
  const [hasCuda, hasSystem] = [random() < 0.5, random() < 0.5];

  const cudaFigures = (): CudaFigures =>
    present({
      net: change(),
      self: change(),
      maxIncrement: change(),
      peak: bytes(),
      peakMost: bytes(),
      reservedNet: change(),
      reservedSelf: change(),
      reservedPeak: bytes(),
      deviceNet: maybe(change),
      uncertain: bytes(),
    });
  const systemFigures = (): SystemFigures =>
    present({ net: change(), self: change(), nvmapNet: maybe(change), uncertain: bytes() });
  const line = (number: number): LineRow =>
    present({
      line: number,
      hits: maybe(() => below(100_000)),
      net: maybe(change),
      self: maybe(change),
      maxIncrement: maybe(change),
      peak: maybe(bytes),
      usage: maybe(bytes),
      uncertain: maybe(bytes),
      peakUncertain: maybe(bytes),
      cuda: hasCuda ? maybe(cudaFigures) : undefined,
      system: hasSystem ? maybe(systemFigures) : undefined,
    });
  const functionRow = (place: number): FunctionRow =>
    present({
      name: `f${place}.<locals>.<lambda>`,
      key: 10 * place + 1,
      defLine: 10 * place + 2,
      lastLine: 10 * place + 9,
      calls: below(1000),
      timeNs: maybe(bytes),
      net: maybe(change),
      peak: maybe(bytes),
    });
  const file = (path: string): FileProfile => ({
    path,
    sha256: maybe(() => "ab".repeat(32)) ?? "",
    lines: Array.from({ length: 120 }, (_, at) => at + 1).flatMap((at) => (random() < 0.3 ? [line(at)] : [])),
    functions: Array.from({ length: below(4) }, (_, place) => functionRow(place)),
  });
  const files = () => NAMES.filter(() => random() < 0.6).map(file);
  const phase = (name: Phase["phase"], at: number): Phase =>
    present({
      pid: 10,
      phase: name,
      t: 100 * at,
      at: maybe(() => ({ path: "train.py", line: 1 + below(90) })),
      rss: maybe(bytes),
      memAvailable: maybe(bytes),
      nvmap: maybe(bytes),
      allocated: maybe(bytes),
      reserved: maybe(bytes),
      deviceUsed: maybe(bytes),
    });
  const exits: readonly NonNullable<Profile["run"]["exit"]>[] = [
    { kind: "exited", code: below(5) },
    { kind: "signalled", signal: "SIGSEGV" },
    { kind: "out-of-memory", signal: "SIGKILL", evidence: "dmesg", kernelLog: ["Out of memory: Killed process 10"] },
    { kind: "cancelled" },
    { kind: "not-started", message: "no such file" },
    { kind: "lost" },
  ];
  return {
    run: present({
      id: "20261121-094501-train-3fa9",
      state: "finished" as const,
      engine: { name: "line" as const, exact: random() < 0.5, accelerator: true },
      imported: maybe(() => ({ format: "scalene" as const, file: "profile.json", measures: "live blocks" })),
      command: { python: "/usr/bin/python3", script: "train.py", args: ["--name", "a b"] },
      notebook: maybe(() => ({ path: "n.ipynb", cells: [{ number: 1, path: "n.ipynb#cell1.py" }] })),
      started: maybe(() => "2026-11-21T09:45:01.123Z"),
      ended: maybe(() => "2026-11-21T09:45:03.123Z"),
      elapsedMs: maybe(bytes),
      exit: exits[below(exits.length)],
      lastLines: [{ pid: 10, thread: "Main", path: "train.py", line: 3, stack: [{ path: "train.py", line: 9 }] }],
      environment: { PYTHONMALLOC: "malloc" },
      board: present({ model: maybe(() => "Jetson"), memTotal: maybe(bytes), simulated: maybe(() => "Jetson Nano") }),
      versions: { python: "3.6.9" },
      processes: [
        { pid: 10, kind: "main" as const, label: "main" },
        { pid: 11, kind: "fork" as const, label: "worker 1" },
      ],
      output: maybe(() => ({ stdout: { bytes: 5, kept: 5 }, stderr: { bytes: 9, kept: 2 } })),
      warnings: [{ code: "x", message: 'said "so"\n, twice' }],
    }),
    ...(random() < 0.5
      ? {
          origin: present({
            target: "ssh://nano@10.0.0.2",
            inside: maybe(() => "container:trainer"),
            boardFolder: "/home/nano/r",
            simulated: random() < 0.5,
          }),
        }
      : {}),
    files: files(),
    byProcess: new Map(random() < 0.5 ? [[10, files()] as const, [11, files()] as const] : []),
    metrics: new Set([
      "rss" as const,
      ...(hasCuda ? ["cuda" as const] : []),
      ...(hasSystem ? ["system" as const] : []),
    ]),
    cuda: new Map(hasCuda ? [[10, { noticedBy: "counter", peaks: "exact" }] as const] : []),
    phases: PHASES.filter(() => random() < 0.5).map(phase),
    complete: random() < 0.5,
  };
}
