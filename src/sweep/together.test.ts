import { describe, expect, it } from "vitest";
import { checkTogether, launchTogether, readMeeting } from "./together.ts";

const MEETING = { host: "10.0.0.1", port: 29_500 };
const TOLD = ["--nnodes=2", "--node_rank=1", "--master_addr=10.0.0.1", "--master_port=29500"];

describe("one training over several boards", () => {
  it.each([
    [["torchrun"], ["--nproc-per-node", "1"]],
    [["venv/bin/torchrun"], []],
    [["python3", "-m", "torch.distributed.run"], ["--nproc_per_node=2"]],
    [["/usr/bin/python3", "-B", "-m", "torch.distributed.launch"], ["--use_env"]],
  ])("tells torchrun of the others, before its own options: %j %j", (program, options) => {
    const launch = [...program, ...options];
    expect(() => checkTogether(launch)).not.toThrow();
    expect(launchTogether(launch, { node: 1, nodes: 2 }, MEETING)).toEqual([...program, ...TOLD, ...options]);
  });

  it.each([
    [undefined, "started by torchrun"],
    [["mpirun", "-n", "2"], "started by torchrun"],
    [["python3", "torch.distributed.run"], "started by torchrun"],
    [["torchrun", "--nnodes=2"], "--nnodes is set for each board"],
    [["torchrun", "--rdzv_backend", "c10d"], "--rdzv_backend is set for each board"],
    [["torchrun", "--standalone"], "--standalone is set for each board"],
  ])("refuses %j", (launch, message) => {
    expect(() => checkTogether(launch)).toThrow(message);
  });
});

describe("where boards meet", () => {
  it.each([
    ["192.168.1.20", { host: "192.168.1.20", port: 29_500 }],
    ["nano-1:29501", { host: "nano-1", port: 29_501 }],
    ["[fe80::1]:29501", { host: "fe80::1", port: 29_501 }],
  ])("%s", (text, meeting) => {
    expect(readMeeting(text)).toEqual(meeting);
  });

  it.each(["", "nano:0", "nano:70000", "fe80::1", "-x", "a b", "nano:x"])("%j is none", (text) => {
    expect(() => readMeeting(text)).toThrow("no place where boards can meet");
  });
});
