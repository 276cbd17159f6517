/** Whole stories with secrets planted in them, then a search for these everywhere. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AuthContext } from "ssh2";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { UserError } from "../../../src/profile/userError.ts";
import { parseTarget } from "../../../src/remote/address.ts";
import { profileRun } from "../../../src/remote/run/profileRun.ts";
import { runCommand } from "../../../src/remote/session/runCommand.ts";
import { openTarget } from "../../../src/remote/transport/openTarget.ts";
import { emptyMemory } from "../../../src/remote/transport/transport.ts";
import { useProgram } from "../../integration/cli/program.ts";
import { requirement } from "../../support/requirement.ts";
import { makeScene, prompter, REPOSITORY, type Scene } from "../../support/scene.ts";
import { makeTestHome, SSHD, startSshd, type TestHome } from "../../support/sshd.ts";
import { startTestServer, type TestServer } from "../../support/testServer.ts";
import { record } from "../support/results.ts";
import { truthScript } from "../support/truth.ts";
import { inFiles, type Planted, plant, watchProcesses, within } from "./support/plantedSecrets.ts";

const TYPIST = join(REPOSITORY, "test/faults/network/support/typist.py");

describe.skipIf(!requirement("sshd (package openssh-server)", SSHD))("planted secrets", () => {
  const program = useProgram();
  let home: TestHome;
  let scene: Scene;
  let server: TestServer | undefined;
  let began: Date;
  beforeEach(() => {
    home = makeTestHome();
    // By the kernel's times of files, which go on in steps of some milliseconds.
    began = new Date(statSync(home.folder).mtimeMs - 1_000);
    scene = makeScene();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await server?.close();
    server = undefined;
    await scene.remove();
    await home.remove();
  });

  const know = ({ port, hostKey }: { readonly port: number; readonly hostKey: string }): void =>
    writeFileSync(home.path("known_hosts"), `[127.0.0.1]:${port} ${hostKey}\n`);
  /** Where files of a run, of its tools and of the system may land. */
  const places = (): readonly string[] => [program.home, join(scene.project, ".."), home.folder, tmpdir(), "/dev/shm"];
  const told = (fault: string, found: readonly string[]): void => {
    record({
      kind: "fault",
      group: "network",
      fault,
      trials: 1,
      lostProfiles: undefined,
      duplicatedOutput: undefined,
      wrongLine: undefined,
    });
    expect(found).toEqual([]);
  };

  it("are in no file, output, process list or environment after a password was typed, wrong and right, and the connection broke", async () => {
    const planted = plant("wrong", "password", "token");
    let dropped = false;
    server = await startTestServer({
      authenticate(context: AuthContext) {
        if (context.method === "password" && context.password === planted.password) context.accept();
        else context.reject(["password"]);
      },
    });
    know(server);
    home.configure("Host *\n  IdentityFile none\n  IdentityAgent none");
    // The board's home, where the helper is put.
    vi.stubEnv("HOME", join(scene.board, "home"));
    mkdirSync(join(scene.board, "home"), { recursive: true });
    const hold = join(program.home, "hold");
    writeFileSync(hold, "");
    program.script("truth.py", truthScript(12, 0.1, { after: 2, file: hold }));
    const git = (...args: readonly string[]): void =>
      void execFileSync("git", ["-C", program.project, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
    git("init", "-q");
    git("add", ".");
    git("commit", "-q", "-m", "first");
    git("remote", "add", "origin", `https://user:${planted.token}@git.example/board.git`);

    const processes = watchProcesses(planted, () => false);
    const typist = spawn("python3", [TYPIST], { stdio: ["pipe", "pipe", "inherit"] });
    const job = {
      argv: [process.execPath, program.file, "profile", "truth.py", "--target", `nano@127.0.0.1:${server.port}`],
      cwd: program.project,
      env: { ...process.env, HOME: program.home, TERM: "xterm" },
      answers: [
        ["The password of nano", planted.wrong],
        ["The password of nano", planted.password],
        ["Send it?", "yes"],
      ],
    };
    typist.stdin.end(`${JSON.stringify(job)}\n`);
    let shown = "";
    typist.stdout.on("data", (data) => {
      shown += String(data);
      processes.look();
      if (dropped || !shown.includes("step 2")) return;
      dropped = true;
      server?.drop();
      rmSync(hold);
    });
    const [status] = await once(typist, "close");
    expect(shown).toContain("step 11");
    expect(status).toBe(0);
    expect(dropped).toBe(true);
    const found = [
      ...within(shown, planted).map((name) => `${name}: on the terminal`),
      ...within(server.commands.join("\n"), planted).map((name) => `${name}: in a command of ours`),
      ...processes.stop(),
      ...(await inFiles(places(), began, planted, [join(program.project, ".git/config")])),
    ];
    told("password typed wrong and right in a terminal, connection dropped: found anywhere 0 times", found);
  });

  it("are nowhere after a run with a locked key, a secret in the board's shell and one for the script", async () => {
    const planted = plant("passphrase", "shell", "script");
    const key = home.key("locked", planted.passphrase);
    const board = await startSshd(home, "board", [key], { env: { AWS_SECRET_ACCESS_KEY: planted.shell } });
    const privateKey = readFileSync(key, "utf8").split("\n")[2] ?? "";
    const all: Planted = { ...planted, privateKey };
    know(board);
    home.configure(
      `Host board\n  HostName 127.0.0.1\n  Port ${board.port}\n  IdentityFile ${key}\n  IdentityAgent none`,
    );
    // Secrets in an environment are for the script: there, in that of its helper's and nowhere else.
    const processes = watchProcesses(
      all,
      (name, where, command) =>
        where === "environ" && (name === "shell" || (name === "script" && command.includes("python"))),
    );
    try {
      scene.write({
        "truth.py": `${truthScript(4, 0.1)}
import os
assert os.environ["AWS_SECRET_ACCESS_KEY"].startswith("shell-")
assert os.environ["WANDB_API_KEY"].startswith("script-")
raise ValueError("the script fails")
`,
      });
      const request = scene.request("board", "truth.py", { environment: { WANDB_API_KEY: planted.script } });
      const outcome = await profileRun(request, scene.deps(prompter({ secrets: ["wrong", planted.passphrase] }))).done;
      expect(outcome.kind).toBe("finished");
      expect(scene.output("stderr")).toContain("ValueError: the script fails");
      const events = scene.events.map((event) =>
        event.kind === "output" ? Buffer.from(event.data).toString("latin1") : JSON.stringify(event),
      );
      const found = [
        ...within(events.join("\n"), all).map((name) => `${name}: told`),
        ...processes.stop(),
        ...(await inFiles(places(), began, all, [key, home.path("board-config")])),
      ];
      told("locked key, secrets in the board's shell and in the script's environment: found anywhere 0 times", found);
    } finally {
      processes.stop();
      await board.stop();
    }
  });

  it("are masked where a server, a shell or a command repeats them", async () => {
    const planted = plant("answer", "rejected", "sudo");
    const bin = join(scene.project, "..", "bin");
    mkdirSync(bin);
    writeFileSync(
      join(bin, "sudo"),
      `#!/bin/sh
while [ $# -gt 0 ]; do case $1 in -p) prompt=$2; shift 2;; -k | -S) shift;; *) break;; esac; done
printf %s "$prompt" | sed 's/%p/nano/' >&2
IFS= read -r line || exit 1
echo "your password is $line"
echo "I said: $line" >&2
exec "$@"
`,
    );
    chmodSync(join(bin, "sudo"), 0o755);
    vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
    home.configure("Host *\n  IdentityFile none\n  IdentityAgent none");
    const asks = (context: AuthContext): void => {
      if (context.method !== "keyboard-interactive") {
        context.reject(["keyboard-interactive"]);
        return;
      }
      context.prompt([{ prompt: "Code: ", echo: false }], (answers) => {
        if (answers[0] === planted.answer) context.accept();
        else context.reject([`not-${answers[0]}` as "none", "keyboard-interactive"]);
      });
    };
    server = await startTestServer({ authenticate: asks, noise: `Welcome, ${planted.answer}!\n` });
    know(server);
    const target = parseTarget(`nano@127.0.0.1:${server.port}`);
    const processes = watchProcesses(planted, () => false);
    const signal = AbortSignal.timeout(100_000);

    const wrong = prompter({ interactive: Array(3).fill([planted.rejected]) });
    const refused = await openTarget(target, {
      prompter: wrong,
      memory: emptyMemory(),
      signal,
      onNoise: () => {},
    }).catch((error: UserError) => error);
    if ("exec" in refused) throw new Error("it should not have connected");
    expect(refused).toMatchObject({ code: "auth-failed", message: expect.stringContaining("not-•••") });
    expect(`${refused.message}${refused.hint}${String(refused.cause)}`).not.toContain(planted.rejected);

    let noise = "";
    const right = prompter({ interactive: [[planted.answer]] });
    const memory = emptyMemory();
    const onNoise = (text: string): void => {
      noise += text;
    };
    const options = { prompter: right, memory, signal, onNoise };
    const connection = await openTarget(target, options);
    const echoed = await connection.exec(["true"]);
    echoed.stdout.resume();
    await echoed.exit;
    connection.close();
    expect(noise).toContain("Welcome, •••!");

    let output = "";
    const command = await runCommand(
      { target, command: "sudo echo done" },
      {
        prompter: prompter({ interactive: [[planted.answer], [planted.answer]], secrets: [planted.sudo] }),
        onOutput: (_stream, data) => {
          output += Buffer.from(data).toString("utf8");
        },
      },
      signal,
    );
    expect(command.code).toBe(0);
    expect(output).toContain("your password is •••");
    expect(output).toContain("I said: •••");
    const found = [
      ...within(noise + output, planted).map((name) => `${name}: shown`),
      ...processes.stop(),
      ...(await inFiles(places(), began, planted)),
    ];
    told(
      "answers and the password for sudo, repeated by the server, its shell and sudo: found anywhere 0 times",
      found,
    );
  });

  it("are not searched for in vain: the search finds what is there", async () => {
    const planted = plant("here");
    writeFileSync(join(scene.project, "note.bin"), `\0\0${planted.here}\0`);
    const child = spawn("sleep", ["100"], { env: { HERE: planted.here } });
    try {
      // "spawn" is told a moment before the kernel has put the environment in its place.
      await expect.poll(() => readFileSync(`/proc/${child.pid}/environ`, "latin1")).not.toBe("");
      const processes = watchProcesses(planted, () => false);
      expect(processes.stop()).toEqual([expect.stringContaining("here: environ of")]);
    } finally {
      child.kill();
    }
    expect(await inFiles([scene.project], began, planted)).toEqual([`here: ${join(scene.project, "note.bin")}`]);
  });
});
