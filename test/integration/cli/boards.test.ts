/** Three boards, each an SSH server of this machine with a home folder of its own, of which one is lost. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { killAll, processesNaming } from "../../support/processes.ts";
import { makeTestHome, SSHD, type Sshd, startSshd, type TestHome } from "../../support/sshd.ts";
import { ended, useProgram } from "./program.ts";

const BOARDS = ["nano-1", "nano-2", "nano-3"];
/** On the second one it goes on until it is ended. */
const SCRIPT = `import os, time
kept = bytearray(b"x") * (8 << 20)
home = os.path.expanduser("~")
while home.endswith("nano-2"):
    time.sleep(0.05)
`;

describe.runIf(process.platform === "linux" && fs.existsSync(SSHD))("three boards of which one is lost", () => {
  let home: TestHome;
  let servers: Sshd[] = [];
  const folderOf = (board: string) => home.path(board);
  beforeAll(async () => {
    home = makeTestHome();
    const key = home.key("mine");
    for (const board of BOARDS) fs.mkdirSync(folderOf(board));
    servers = await Promise.all(
      BOARDS.map((board) => startSshd(home, `${board}-server`, [key], { env: { HOME: folderOf(board) } })),
    );
    const host = (board: string, at: number) =>
      `Host ${board}\n  HostName 127.0.0.1\n  Port ${servers[at]?.port}\n  User ${os.userInfo().username}\n  IdentityFile ${key}`;
    home.configure(BOARDS.map(host).join("\n"));
    const known = servers.map(({ port, hostKey }) => `[127.0.0.1]:${port} ${hostKey}\n`);
    fs.writeFileSync(home.path("known_hosts"), known.join(""));
  });
  afterAll(async () => {
    for (const server of servers) await server.kill();
    killAll(processesNaming(home.folder));
    await home.remove();
  });
  const program = useProgram();

  it("the others' runs end and are kept, and its own is told once it is there again", async () => {
    program.script("train.py", SCRIPT);
    const child = program.start(["sweep", "--boards", BOARDS.join(","), "train.py"]);
    let told = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (told += text));
    const result = ended(child);
    const [, second] = servers;
    const runs = path.join(folderOf("nano-2"), ".jetson-memprof/runs");
    const recorded = () =>
      fs.readdirSync(runs).map((run) => fs.readFileSync(path.join(runs, run, "samples.jsonl"), "utf8"));
    await vi.waitFor(() => expect(recorded().join("\n")).toContain('"rss'), { timeout: 120_000 });
    await second?.kill();
    killAll(processesNaming(folderOf("nano-2")));
    await vi.waitFor(
      () => {
        for (const board of ["nano-1", "nano-3"]) expect(told).toMatch(new RegExp(`^board ${board}: fits`, "m"));
      },
      { timeout: 120_000 },
    );
    await second?.again();
    const { status, stdout } = await result;
    expect(status).toBe(1);
    const row = (board: string) => stdout.split("\n").find((line) => line.trim().startsWith(`${board} `));
    for (const board of ["nano-1", "nano-3"]) expect(row(board)).toMatch(/ \d+\.\d MiB .* fits$/);
    expect(row("nano-2")).toMatch(/ ≥ \d+\.\d MiB .* failed: the recording broke off$/);
  });
});
