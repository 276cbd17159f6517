import { describe, expect, it } from "vitest";
import { parseSweep } from "./sweepCommandLine.ts";

const parsed = (text: string) => parseSweep(text.split(" "));

describe("sweep on several boards", () => {
  it("takes the boards, and how many at once", () => {
    expect(parsed("--boards nano-*,orin --boards agx --at-once 2 train.py")).toMatchObject({
      action: { kind: "make", boards: ["nano-*", "orin", "agx"], boardsAtOnce: 2, parameters: [] },
    });
    expect(parsed("--boards a train.py")?.action).toMatchObject({ boardsAtOnce: 4 });
    expect(parsed("--grid x=1,2 --target a train.py")?.action).toMatchObject({ boards: [] });
  });

  it("leaves what is behind --launch and -- to the launcher and the script", () => {
    const launched = "--boards a,b --launch torchrun --nproc-per-node 2 train.py --all --grid x=1 --resume ckpt.pt";
    expect(parsed(launched)).toMatchObject({
      action: {
        kind: "make",
        larger: "skip",
        parameters: [],
        profile: {
          launch: ["torchrun", "--nproc-per-node", "2"],
          args: ["--all", "--grid", "x=1", "--resume", "ckpt.pt"],
        },
      },
    });
    expect(parsed("--boards a train.py -- --resume ckpt.pt")).toMatchObject({
      action: { kind: "make", profile: { args: ["--resume", "ckpt.pt"] } },
    });
  });

  it("takes one training over all of them", () => {
    const together = "--boards a,b --together --launch torchrun train.py";
    expect(parsed(together)?.action).toMatchObject({ together: {} });
    expect(parsed(`--meet nano-1:29501 ${together}`)?.action).toMatchObject({
      together: { meeting: { host: "nano-1", port: 29_501 } },
    });
  });

  it.each([
    ["--boards a,,b train.py", "A board of --boards is empty"],
    ["--boards a --target b train.py", "Give either --target or --boards"],
    ["--grid x=1,2 --at-once 2 --target a train.py", "--at-once needs --boards"],
    ["--boards a --at-once 0 train.py", "--at-once is a whole number"],
    ["--boards a,b --together train.py", "started by torchrun"],
    ["--boards a,b --together --repeat 2 --launch torchrun train.py", "--repeat does not fit --together"],
    ["--grid x=1 --together --target a --launch torchrun train.py", "--together needs --boards"],
    ["--boards a --meet b train.py", "--meet needs --together"],
    ["--show last --boards a", "--boards needs --resume"],
  ])("refuses %s", (text, message) => {
    expect(() => parsed(text)).toThrow(message);
  });
});
