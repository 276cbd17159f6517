import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ProfileRequest, RunOutcome } from "../../../src/protocol/run/run.ts";
import { parseTarget } from "../../../src/remote/address.ts";
import { profileRun } from "../../../src/remote/run/profileRun.ts";
import { resumeRun } from "../../../src/remote/run/resumeRun.ts";
import { type OpenTarget, openTarget } from "../../../src/remote/transport/openTarget.ts";
import type { RemoteProcess } from "../../../src/remote/transport/transport.ts";
import { requirement } from "../../support/requirement.ts";
import { runsOnBoard } from "../../support/runsOnBoard.ts";
import { example, HELPER, makeScene, prompter, runRecord, type Scene } from "../../support/scene.ts";
import { makeTestHome, SSHD, type Sshd, startSshd, type TestHome } from "../../support/sshd.ts";
import { TARGETS_IN_TURN } from "../../support/targets.ts";
import { startTestServer, type TestServer } from "../../support/testServer.ts";

const QUICK = ["--epochs", "2", "--samples", "20000", "--batches", "50"];
/** Has a hand in the process of the helper that takes commands. */
function serving(change: (process: RemoteProcess) => RemoteProcess): OpenTarget {
  return async (target, options) => {
    const connection = await openTarget(target, options);
    const exec = async (argv: readonly string[]): Promise<RemoteProcess> => {
      const process = await connection.exec(argv);
      return argv[0] === "sh" ? change(process) : process;
    };
    return { ...connection, exec };
  };
}

/** What is said before the answer to the start. */
async function* beforeStart(stream: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (chunk.includes('"pid": ')) return;
    yield chunk;
  }
}

/** Passes everything on up to the order to start, which ends the process. */
function endingAtStart(process: RemoteProcess): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!chunk.includes('"command":"start"')) return void process.stdin.write(chunk, done);
      process.kill();
      done();
    },
    final: (done) => void process.stdin.end(done),
  });
}

/**
 * Runs until it is ended, printing as it goes; each line takes real memory. A line is one write: of two processes that
 * print in step, print() would mix the parts, as it writes each by itself where nothing is buffered.
 */
const ENDLESS = `import sys, time
kept = []
print("up", flush=True)
n = 0
while n < 3000:  # ends by itself should a test fail to end it, after its time limit
    kept.append(bytearray(32768))
    n += 1
    sys.stdout.write("tick %d\\n" % n)
    time.sleep(0.05)
`;
/** Prints on while nobody hears it, and does not end before the connection was lost. */
const STEADY = `import os, sys, time
for n in range(60):
    print("line", n, flush=True)
    time.sleep(0.05)
    while n == 40 and not os.path.exists(sys.argv[1]):
        time.sleep(0.05)
`;
const signal = new AbortController().signal;

function folderOf(outcome: RunOutcome): string {
  if (outcome.kind === "failed") throw outcome.error;
  if (outcome.folder === undefined) throw new Error("the run has no folder");
  return outcome.folder;
}
/** A process that has ended but that nobody has waited for yet is not alive. */
function alive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe.skipIf(!requirement("python3", "/usr/bin/python3"))("a run", () => {
  let scene: Scene;
  let home: TestHome;
  let server: TestServer;
  let sshd: Sshd | undefined;
  const hasSshd = requirement("sshd (package openssh-server)", SSHD);
  beforeAll(async () => {
    home = makeTestHome();
    server = await startTestServer();
    const key = home.key("user");
    sshd = hasSshd ? await startSshd(home, "board", [key]) : undefined;
    const known = [`[127.0.0.1]:${server.port} ${server.hostKey}`];
    if (sshd !== undefined) known.push(`[127.0.0.1]:${sshd.port} ${sshd.hostKey}`);
    writeFileSync(home.path("known_hosts"), `${known.join("\n")}\n`);
    home.configure(`Host 127.0.0.1\n  IdentityFile ${key}\n  IdentitiesOnly yes`);
  });
  afterAll(async () => {
    await sshd?.stop();
    await server?.close();
    await home?.remove();
  });
  beforeEach(() => {
    scene = makeScene();
    scene.write({ "train_tiny.py": example("train_tiny.py"), "endless.py": ENDLESS });
  });
  afterEach(async () => {
    server.accepting(true);
    await scene.remove();
  });

  const dropping = (): string => `ssh://nano@127.0.0.1:${server.port}`;
  // It may come in pieces.
  const printed = (text: string) => scene.waitFor(() => `${scene.output()}\n${scene.output("stderr")}`.includes(text));
  const started = () => scene.waitFor((event) => event.kind === "output");
  const begin = (request: ProfileRequest) => profileRun(request, scene.deps());

  describe("from the first connection to the run folder", () => {
    const targets = ["local", "loopback", ...(hasSshd ? ["sshd"] : [])];
    it.each(targets)("over %s", async (name) => {
      const target = name === "sshd" ? `ssh://127.0.0.1:${sshd?.port}` : name;
      const outcome = await begin(scene.request(target, "train_tiny.py", { args: QUICK })).done;
      const folder = folderOf(outcome);
      expect(outcome.kind).toBe("finished");
      expect(scene.output()).toMatch(/^epoch 1 {2}loss .*\nepoch 2 {2}loss .*\n$/);

      const record = runRecord(folder);
      expect(record).toMatchObject({ schema: 1, state: "finished", exit: { kind: "exited", code: 0 } });
      expect(record["command"]).toMatchObject({ script: "train_tiny.py", args: QUICK });
      const lines = readFileSync(join(folder, "lines.jsonl"), "utf8");
      expect(lines.endsWith("\n")).toBe(true);
      expect(lines).toContain('"end"');
      expect(readFileSync(join(folder, "sources/train_tiny.py"), "utf8")).toBe(example("train_tiny.py"));
      expect(readFileSync(join(folder, "stdout.log"), "utf8")).toBe(scene.output());
      expect(JSON.parse(readFileSync(join(folder, "origin.json"), "utf8"))).toMatchObject({
        schema: 1,
        target,
        board_folder: `${scene.board}/runs/${String(record["id"])}`,
        simulated: name === "loopback",
      });
      expect(scene.events.flatMap((event) => (event.kind === "phase" ? [event.phase] : []))).toEqual([
        "connect",
        "prepare",
        "sync",
        "start",
        "run",
      ]);
      const connected = scene.events.find((event) => event.kind === "connected");
      expect(connected).toMatchObject({ board: { machine: expect.any(String), memTotal: expect.any(Number) } });
      const progress = scene.events.filter((event) => event.kind === "progress");
      expect(progress.some((event) => event.hits > 0)).toBe(true);
      expect(scene.warnings()).toEqual([]);
    });

    it.each(TARGETS_IN_TURN)("over %s where the project is the home folder of the board", async (target) => {
      scene.write({ "quick.py": "print('done')\n" });
      const boardFolder = join(scene.project, ".jetson-memprof");
      const folder = folderOf(await begin(scene.request(target, "quick.py", { boardFolder })).done);
      expect(scene.output()).toBe("done\n");
      expect(runRecord(folder)).toMatchObject({ state: "finished", exit: { kind: "exited", code: 0 } });
      expect(await resumeRun(folder, { boardFolder }, scene.deps()).done).toEqual({ kind: "finished", folder });
    });

    it("passes the exit code, standard error and what is typed", async () => {
      scene.write({
        "sub dir/ask.py":
          'import sys\nprint("got", sys.stdin.readline().strip(), repr(sys.stdin.read()), file=sys.stderr)\nsys.exit(3)\n',
      });
      const run = begin(scene.request("loopback", "sub dir/ask.py"));
      run.input(Buffer.from("wörld\nré"));
      run.input(Buffer.from("st\n"));
      run.closeInput();
      const folder = folderOf(await run.done);
      expect(scene.output("stderr")).toBe("got wörld 'rést\\n'\n");
      expect(runRecord(folder)).toMatchObject({
        exit: { kind: "exited", code: 3 },
        command: { script: "sub dir/ask.py" },
      });
    });

    it("runs a module, and takes a virtual environment's folder as the interpreter", async () => {
      scene.write({ "pkg/__init__.py": "", "pkg/job.py": "print('as', __name__)\n" });
      const entry = { kind: "module", name: "pkg.job" } as const;
      const request = scene.request("loopback", "", { entry, python: "/usr" });
      const folder = folderOf(await begin(request).done);
      expect(scene.output()).toBe("as __main__\n");
      expect(runRecord(folder)).toMatchObject({ command: { module: "pkg.job", python: "/usr/bin/python3" } });
    });

    it("says while it starts that native stacks are tried out, where they are asked for", async () => {
      const phases = () => scene.events.flatMap((event) => (event.kind === "phase" ? [event.phase] : []));
      scene.write({ "short.py": "print('ran')\n" });
      folderOf(await begin(scene.request("loopback", "short.py", { heap: { mean: 524_288 } })).done);
      expect(phases()).toEqual(["connect", "prepare", "sync", "trial", "run"]);
      expect(scene.output()).toBe("ran\n");
    });

    it("asks a shim once, and starts what stands behind it from then on", async () => {
      const shim = join(scene.project, "shims/python3");
      const calls = join(scene.project, "calls");
      mkdirSync(dirname(shim));
      writeFileSync(shim, `#!/bin/sh\necho >> "${calls}"\nexec /usr/bin/python3 "$@"\n`, { mode: 0o755 });
      scene.write({ "hello.py": "import sys\nprint(sys.executable)\n" });
      const outcome = await begin(scene.request("loopback", "hello.py", { python: shim })).done;
      expect(outcome.kind).toBe("finished");
      expect(scene.output()).toBe("/usr/bin/python3\n");
      expect(readFileSync(calls, "utf8")).toBe("\n");
    });

    it("keeps the log within its limit and the memory of this process too, for a script that prints 50 MB", async () => {
      scene.write({ "loud.py": "line = 'x' * 999\nfor _ in range(50000):\n    print(line)\n" });
      let received = 0;
      const open: OpenTarget = async (target, options) => {
        const connection = await openTarget(target, options);
        const exec = async (argv: readonly string[]): Promise<RemoteProcess> => {
          const process = await connection.exec(argv);
          async function* counted(): AsyncGenerator<Buffer> {
            for await (const chunk of process.stdout) {
              received += chunk.length;
              yield chunk;
            }
          }
          return { ...process, stdout: Readable.from(counted()) };
        };
        return { ...connection, exec };
      };
      const request = scene.request("loopback", "loud.py", { outputLimit: 200_000 });
      const run = profileRun(request, { ...scene.deps(), onEvent: () => {} }, open);
      const folder = folderOf(await run.done);
      // The helper adds a line that says where the log was cut.
      expect(readFileSync(join(folder, "stdout.log")).length).toBeLessThanOrEqual(200_000 + 1024);
      expect(runRecord(folder)).toMatchObject({ output: { stdout: { bytes: 50_000_000, kept: 200_000 } } });
      // What does not come cannot be kept in memory.
      expect(received).toBeLessThan(2 * 1024 * 1024);
    });
  });

  describe("with something wrong", () => {
    const failure = async (request: ProfileRequest, helper = HELPER) => {
      const outcome = await profileRun(request, scene.deps(prompter(), helper)).done;
      if (outcome.kind !== "failed") throw new Error(`it ended as ${outcome.kind}`);
      expect(existsSync(scene.runs) ? readdirSync(scene.runs) : []).toEqual([]);
      return outcome.error;
    };

    it("names a script that is missing, outside or left out before anything runs", async () => {
      expect(await failure(scene.request("loopback", "none.py"))).toMatchObject({ code: "script-missing" });
      expect(await failure(scene.request("loopback", "../x.py"))).toMatchObject({ code: "script-outside" });
      const excluded = scene.request("loopback", "train_tiny.py", { excludes: ["*.py"] });
      expect(await failure(excluded)).toMatchObject({ code: "script-excluded" });
    });

    it("names a Python that is missing or too old", async () => {
      const missing = await failure(scene.request("loopback", "train_tiny.py", { python: "~/no such venv" }));
      expect(missing.code).toBe("no-python");
      expect(missing.hint).toContain("sudo apt install python3");
      writeFileSync(join(scene.project, "old-python"), "#!/bin/sh\necho 3.5.2\n", { mode: 0o755 });
      const old = scene.request("loopback", "train_tiny.py", { python: join(scene.project, "old-python") });
      const error = await failure(old);
      expect(error.code).toBe("python-too-old");
      expect(error.message).toContain("3.5.2");
      // As pyenv has it: named after a version that is not installed.
      const shim = join(scene.project, "shims/python3.8");
      mkdirSync(dirname(shim));
      writeFileSync(shim, "#!/bin/sh\nexit 127\n", { mode: 0o755 });
      expect((await failure(scene.request("loopback", "train_tiny.py", { python: shim }))).code).toBe("no-python");
    });

    it("reports a syntax error through the script's own output, and keeps the run", async () => {
      scene.write({ "broken.py": "def f(:\n" });
      const folder = folderOf(await begin(scene.request("loopback", "broken.py")).done);
      expect(scene.output("stderr")).toContain("SyntaxError");
      expect(runRecord(folder)).toMatchObject({ exit: { kind: "exited", code: 1 } });
    });

    it("says which package is missing for the other engine", async () => {
      // An interpreter that sees no installed packages at all.
      writeFileSync(join(scene.project, "bare"), '#!/bin/sh\nexec /usr/bin/python3 -I -S "$@"\n', { mode: 0o755 });
      const request = scene.request("loopback", "train_tiny.py", {
        engine: "memory_profiler",
        python: join(scene.project, "bare"),
      });
      expect(await failure(request)).toMatchObject({ code: "no-memory-profiler" });
    });

    it("says what a helper that answers nonsense, nothing or too much did", async () => {
      const bootstrap = readFileSync(join(HELPER, "bootstrap.py"), "utf8");
      const helper = join(scene.project, "..", "fake-helper");
      const answering = (board: string): string => {
        scene.write({ "../fake-helper/bootstrap.py": bootstrap, "../fake-helper/board.py": board });
        return helper;
      };
      const request = scene.request("loopback", "train_tiny.py");
      const nonsense = await failure(request, answering("print('\\x1b[31mhello')"));
      expect(nonsense.code).toBe("bad-reply");
      expect(nonsense.message).toContain("hello");
      expect(nonsense.message).not.toContain("\u001b");
      expect(await failure(request, answering("print('{\"board\": 3}')"))).toMatchObject({ code: "bad-reply" });
      const dead = await failure(request, answering("import sys; sys.exit('no disk left')"));
      expect(dead.code).toBe("helper-failed");
      expect(dead.message).toContain("no disk left");
      const endless = "import sys\ntry:\n while True: sys.stdout.write('x' * 65536)\nexcept BrokenPipeError: pass";
      expect(await failure(request, answering(endless))).toMatchObject({ code: "bad-reply" });
    });

    it("passes over what start-up files print, with one warning", async () => {
      const noisy = await startTestServer({ noise: 'Welcome to nano!\r\n{"not":"ours"}\nno newline at the end' });
      try {
        writeFileSync(home.path("known_hosts"), `[127.0.0.1]:${noisy.port} ${noisy.hostKey}\n`, { flag: "a" });
        const request = scene.request(`ssh://nano@127.0.0.1:${noisy.port}`, "train_tiny.py", { args: QUICK });
        expect((await begin(request).done).kind).toBe("finished");
        expect(scene.warnings()).toEqual(["shell-noise"]);
      } finally {
        await noisy.close();
      }
    });
  });

  describe("cancelled", () => {
    it.each(["connect", "prepare", "sync", "start"] as const)("in phase %s leaves nothing running", async (phase) => {
      scene.write({ "data.bin": "x".repeat(4 * 1024 * 1024) });
      const deps = scene.deps();
      let run: ReturnType<typeof profileRun> | undefined;
      const request = scene.request(dropping(), "endless.py");
      const cancelled = profileRun(request, {
        ...deps,
        onEvent(event) {
          deps.onEvent(event);
          if (event.kind === "phase" && event.phase === phase) setImmediate(() => run?.cancel());
        },
      });
      run = cancelled;
      const outcome = await cancelled.done;
      expect(outcome.kind).toBe("cancelled");
      const runs = await runsOnBoard(
        { target: parseTarget("loopback"), python: "/usr/bin/python3", boardFolder: scene.board },
        { prompter: prompter(), helperFolder: HELPER, signal },
      );
      expect(runs).toEqual([]);
      if (phase === "start") expect(runRecord(folderOf(outcome))).toMatchObject({ exit: { kind: "cancelled" } });
      else expect(outcome).toEqual({ kind: "cancelled" });
    });

    it.each(TARGETS_IN_TURN)(
      "while the script runs on %s: its group ends and the figures come home",
      async (target) => {
        scene.write({
          "family.py":
            "import os, sys\npid = os.fork()\nif pid:\n    print(pid, flush=True)\nexec(open('endless.py').read())\n",
        });
        const run = begin(scene.request(target, "family.py"));
        // From both of them.
        await scene.waitFor(() => scene.output().split("tick 5\n").length > 2);
        run.cancel();
        const outcome = await run.done;
        expect(outcome.kind).toBe("cancelled");
        const folder = folderOf(outcome);
        const record = runRecord(folder);
        expect(record).toMatchObject({ state: "finished", exit: { kind: "cancelled" } });
        expect(readFileSync(join(folder, "lines.jsonl"), "utf8")).toContain('"rows"');
        const pids = (record["processes"] as { pid: number }[]).map((process) => process.pid);
        expect(pids).toHaveLength(2);
        expect(pids.filter(alive)).toEqual([]);
      },
    );
  });

  describe("on a connection that breaks", () => {
    it("is taken up again without asking, and nothing is lost or doubled", async () => {
      scene.write({
        "steady.py": STEADY,
      });
      const lost = join(scene.project, "..", "lost");
      const run = begin(scene.request(dropping(), "steady.py", { args: [lost] }));
      await printed("line 5");
      server.drop();
      await scene.waitFor((event) => event.kind === "reconnecting");
      writeFileSync(lost, "");
      const folder = folderOf(await run.done);
      const expected = Array.from({ length: 60 }, (_, n) => `line ${n}\n`).join("");
      expect(scene.output()).toBe(expected);
      expect(readFileSync(join(folder, "stdout.log"), "utf8")).toBe(expected);
      expect(runRecord(folder)).toMatchObject({ exit: { kind: "exited", code: 0 } });
      expect(scene.events.find((event) => event.kind === "reconnecting")).toMatchObject({ attempt: 1, delayMs: 1000 });
    });

    it("is cancelled while the board is out of reach, and resumed later", async () => {
      const run = begin(scene.request(dropping(), "endless.py"));
      await started();
      server.accepting(false);
      server.drop();
      await scene.waitFor((event) => event.kind === "reconnecting");
      const tries = () => scene.events.filter((event) => event.kind === "reconnecting").length;
      const before = tries();
      run.cancel();
      const outcome = await run.done;
      expect(tries(), "the one more try that a cancel gets is not told").toBe(before);
      expect(outcome.kind).toBe("cancelled");
      const folder = folderOf(outcome);

      server.accepting(true);
      const sizes = readFileSync(join(folder, "stdout.log")).length;
      scene.events.length = 0;
      const again = resumeRun(folder, { boardFolder: scene.board }, scene.deps());
      await started();
      expect(scene.output()).not.toContain("up");
      again.cancel();
      expect(await again.done).toEqual({ kind: "cancelled", folder });
      expect(runRecord(folder)).toMatchObject({ state: "finished", exit: { kind: "cancelled" } });
      const log = readFileSync(join(folder, "stdout.log"), "utf8");
      expect(log.length).toBeGreaterThan(sizes);
      const ticks = [...log.matchAll(/^tick (\d+)$/gm)].map((match) => Number(match[1]));
      expect(ticks).toEqual(ticks.map((_, index) => index + 1));
    });

    it("carries a cancel to the board as soon as it is reached", async () => {
      const run = begin(scene.request(dropping(), "endless.py"));
      await started();
      server.drop();
      await scene.waitFor((event) => event.kind === "reconnecting");
      run.cancel();
      const outcome = await run.done;
      expect(outcome.kind).toBe("cancelled");
      expect(runRecord(folderOf(outcome))).toMatchObject({ exit: { kind: "cancelled" } });
    });

    it("is followed when only the answer to the start was lost, and reported when the start was", async () => {
      const request = scene.request("loopback", "train_tiny.py", { args: QUICK });
      const answerLost = serving((process) => ({ ...process, stdout: Readable.from(beforeStart(process.stdout)) }));
      expect((await profileRun(request, scene.deps(), answerLost).done).kind).toBe("finished");
      expect(scene.output()).toContain("epoch 2");

      const neverStarted = serving((process) => ({ ...process, stdin: endingAtStart(process) }));
      const outcome = await profileRun(request, scene.deps(), neverStarted).done;
      expect(outcome).toMatchObject({ kind: "failed", error: { code: "helper-failed" } });
      expect(outcome.folder).toBeUndefined();
      expect(readdirSync(scene.runs)).toHaveLength(1);
    });

    it("can be found again where it was let go of before the board said that it started", async () => {
      let answered = (): void => {};
      const running = new Promise<void>((resolve) => {
        answered = resolve;
      });
      async function* silence(stream: Readable): AsyncGenerator<Buffer> {
        yield* beforeStart(stream);
        answered();
        await new Promise(() => {});
      }
      const silent = serving((process) => ({ ...process, stdout: Readable.from(silence(process.stdout)) }));
      const run = profileRun(scene.request("loopback", "endless.py"), scene.deps(), silent);
      await running;
      run.cancel();
      // A second request counts once it can no longer be the same click.
      const again = setInterval(() => run.cancel(), 200);
      const outcome = await run.done;
      clearInterval(again);
      expect(outcome.kind).toBe("cancelled");
      const folder = folderOf(outcome);
      const resumed = resumeRun(folder, { boardFolder: scene.board, python: "/usr/bin/python3" }, scene.deps());
      await started();
      resumed.cancel();
      expect(await resumed.done).toEqual({ kind: "cancelled", folder });
      expect(runRecord(folder)).toMatchObject({ exit: { kind: "cancelled" } });
    });

    it("never starts a program from the place that a run folder names", async () => {
      scene.write({ "quick.py": "print('done')\n" });
      const boardFolder = join(scene.project, "came-with-the-project");
      const folder = folderOf(await begin(scene.request("local", "quick.py", { boardFolder })).done);
      const [digest] = readdirSync(join(boardFolder, "helper"));
      const evidence = join(scene.project, "evidence");
      writeFileSync(join(boardFolder, "helper", digest ?? "", "board.py"), `open(${JSON.stringify(evidence)}, "w")`);
      expect(await resumeRun(folder, { boardFolder: scene.board }, scene.deps()).done).toMatchObject({ folder });
      expect(existsSync(evidence)).toBe(false);
    });

    it("says what is wrong with a run folder that cannot be resumed", async () => {
      scene.write({ "20260101-000000-x-0000/origin.json": "{", "no-origin/x": "" });
      const resumed = async (name: string) => {
        const outcome = await resumeRun(join(scene.project, name), { boardFolder: scene.board }, scene.deps()).done;
        return outcome.kind === "failed" ? outcome.error.code : outcome.kind;
      };
      expect(await resumed("no-origin")).toBe("no-origin");
      expect(await resumed("20260101-000000-x-0000")).toBe("bad-origin");
      const origin = { schema: 1, target: "loopback", board_folder: `${scene.board}/runs/20260101-000000-x-0000` };
      scene.write({ "20260101-000000-x-0000/origin.json": JSON.stringify(origin) });
      expect(await resumed("20260101-000000-x-0000")).toBe("no-such-run");
      scene.write({ "20260101-000000-x-0000/origin.json": JSON.stringify({ ...origin, schema: 2 }) });
      expect(await resumed("20260101-000000-x-0000")).toBe("newer-schema");
    });
  });

  it("warns of another run that is alive on the board, and both end whole", async () => {
    const first = begin(scene.request("loopback", "endless.py"));
    await started();
    const other = makeScene();
    try {
      other.write({ "train_tiny.py": example("train_tiny.py") });
      const request = other.request("loopback", "train_tiny.py", { args: QUICK, boardFolder: scene.board });
      const second = await profileRun(request, other.deps()).done;
      expect(second.kind).toBe("finished");
      expect(other.warnings()).toEqual(["another-run"]);
      const warning = other.events.find((event) => event.kind === "warning");
      expect(warning).toMatchObject({ message: expect.stringContaining("endless.py") });
    } finally {
      first.cancel();
      expect((await first.done).kind).toBe("cancelled");
      await other.remove();
    }
  });
});
