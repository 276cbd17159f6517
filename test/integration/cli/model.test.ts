/** Real PyTorch on this computer's CPU: accounts, batch sizes and trials of a toy model against the estimates. */
import * as childProcess from "node:child_process";
import { describe, expect, it } from "vitest";
import { inFull } from "../../support/inFull.ts";
import { useProgram } from "./program.ts";

const PYTHON = "/usr/bin/python3";
const hasTorch = childProcess.spawnSync(PYTHON, ["-c", "import torch"]).status === 0;

/**
 * Layers that keep their input and eight times as much inside. Memory that malloc does not keep (M_MMAP_THRESHOLD, -3)
 * leaves RSS when a tensor is freed, so that RSS is what the tensors take.
 */
const TOY = `import argparse, ctypes, torch
ctypes.CDLL(None).mallopt(-3, 65536)
torch.set_num_threads(1)
parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=256)
batch = parser.parse_args().batch_size
WIDTH, WIDER = 1024, 4


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(WIDER * WIDTH))

    def forward(self, x):
        return (x.repeat(1, WIDER) * self.weight).relu().view(-1, WIDER, WIDTH).mean(1).tanh()


net = torch.nn.Sequential(*[Block() for _ in range(8)])
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3, momentum=0.9)
for _ in range(3):
    optimizer.zero_grad()
    x = torch.randn(batch, WIDTH)
    out = net(x)
    loss = out.pow(2).mean()
    loss.backward()
    optimizer.step()
`;

const WEIGHTS = 8 * 4096 * 4;
const X = 256 * 1024 * 4;

interface WhatIfJson {
  readonly estimates: readonly {
    readonly changed: { readonly bytes: number };
    readonly measured?: { readonly bytes: number };
  }[];
}

describe.runIf(process.platform === "linux" && hasTorch)("a model account of real PyTorch", () => {
  const program = useProgram();
  const target = ["--target", "local", "--python", PYTHON, "--quiet", "--json"];

  it("has exact bytes, and predicts a larger batch's peak within 5 %", { timeout: 900_000 }, async () => {
    program.script("toy.py", TOY);
    const result = await program.run("model", "toy.py", ...target, "--batches", "128,256", "--check=512");
    expect(result.stderr).toBe("");
    const json = JSON.parse(result.stdout);
    expect(json.layers[0].total).toMatchObject({
      parameters_bytes: WEIGHTS,
      gradients_bytes: WEIGHTS,
      optimizer_bytes: WEIGHTS,
      // At the check's batch of 512: eight times the inside and the output of each.
      activations_bytes: 2 * 72 * X,
    });
    expect(json.batch.bytes_per_sample_by_sizes).toBe(json.batch.bytes_per_sample_by_shape);
    expect(json.check.measured_bytes / json.check.expected.bytes).toBeGreaterThan(0.95);
    expect(json.check.measured_bytes / json.check.expected.bytes).toBeLessThan(1.05);
  });

  it.runIf(inFull)(
    "ranks and predicts checkpoints and nano-batches within 5 % of real runs",
    { timeout: 900_000 },
    async () => {
      program.script("toy.py", TOY);
      const account = await program.run("model", "toy.py", ...target);
      const id = JSON.parse(account.stdout).run.id;
      const found: { readonly change: string; readonly expected: number; readonly measured: number }[] = [];
      for (const change of ["checkpoint:1", "checkpoint:4", "nano-batch:2", "nano-batch:8"]) {
        const result = await program.run("whatif", id, change, "--verify", "--json");
        const [estimate] = (JSON.parse(result.stdout) as WhatIfJson).estimates;
        found.push({ change, expected: estimate?.changed.bytes ?? 0, measured: estimate?.measured?.bytes ?? 0 });
      }
      for (const { change, expected, measured } of found) {
        expect(measured, change).toBeGreaterThan(0);
        expect(Math.abs(expected / measured - 1), change).toBeLessThanOrEqual(0.05);
      }
      const order = (by: "expected" | "measured") =>
        [...found].sort((a, b) => a[by] - b[by]).map(({ change }) => change);
      expect(order("expected")).toEqual(order("measured"));
    },
  );
});
