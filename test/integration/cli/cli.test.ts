import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { requirement } from "../../support/requirement.ts";
import { TARGETS_IN_TURN } from "../../support/targets.ts";
import { ended, root, useProgram } from "./program.ts";

const scene = useProgram();
const { run, script, start } = scene;

/** The figures printed beside a source line of the report. */
function cells(report: string, source: string): string[] {
  const line = report.split("\n").find((text) => text.includes(source));
  if (line === undefined) throw new Error(`no line with ${source} in:\n${report}`);
  return line.slice(0, line.indexOf(source)).trim().split(/ {2,}/);
}

/** Resolves once a piece of what a program prints has the word. */
function said(stream: Readable, word: string): Promise<void> {
  return new Promise((resolve) => stream.on("data", (text: string) => text.includes(word) && resolve()));
}

const GROW = `import sys
def grow(count):
    kept = []
    for _ in range(count):
        kept.append(bytearray(8 << 20))
    return kept

kept = grow(int(sys.argv[1]))
print("kept", len(kept), sys.argv[2:])
sys.exit(3)
`;

describe.each(TARGETS_IN_TURN)("profile on %s", (target) => {
  it("prints the script's output and the annotated source, and exits as the script did", async () => {
    script("grow.py", GROW);
    const { status, stdout, stderr } = await run("profile", "grow.py", "4", "--target", target, "--lr=1", "a b");
    expect(stderr).toBe("");
    expect(status).toBe(3);
    expect(stdout).toMatch(/^kept 4 \['--lr=1', 'a b'\]\n\ngrow\.py 4 --lr=1 "a b"\n/);
    expect(stdout).toContain(target === "local" ? "this computer ·" : "simulated board (this computer, over SSH) ·");
    expect(stdout).toContain("The script ended with exit status 3.");
    expect(cells(stdout, "kept.append(")).toEqual([
      "5",
      "4",
      expect.stringMatching(/^\+32\.[01] MiB$/),
      expect.stringMatching(/^\+8\.[0-2] MiB$/),
      expect.stringMatching(/^\+8\.[0-2] MiB$/),
      expect.stringMatching(/ MiB$/),
    ]);
    const folder = /^Run folder: (.+)$/m.exec(stdout)?.[1] ?? "";
    expect(path.dirname(folder)).toBe(path.join(scene.project, ".jetson-memprof", "runs"));
    expect(fs.readFileSync(path.join(scene.project, ".jetson-memprof", ".gitignore"), "utf8")).toBe("*\n");
    expect(fs.readFileSync(path.join(folder, "sources", "grow.py"), "utf8")).toBe(GROW);

    const again = await run("show", "last");
    expect(again.status).toBe(0);
    expect(stdout).toContain(again.stdout);
    expect((await run("runs")).stdout).toContain(`${path.basename(folder)}  grow.py 4`);
  });

  it("prints JSON alone on standard output", async () => {
    script("pkg/__init__.py", "");
    script("pkg/work.py", 'data = bytearray(16 << 20)\nprint("working")\n');
    const { status, stdout, stderr } = await run("profile", "--target", target, "--json", "-m", "pkg.work");
    expect(status).toBe(0);
    expect(stderr).toBe("working\n");
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({
      schema: 1,
      run: { simulated: target === "loopback", command: { module: "pkg.work" } },
    });
    const file = result.files.find((entry: { path: string }) => entry.path === "pkg/work.py");
    const row = file.lines.find((entry: { line: number }) => entry.line === 1);
    expect(row).toMatchObject({ line: 1, hits: 1 });
    expect(Math.abs(row.net_bytes - (16 << 20))).toBeLessThan(256 * 1024);
  });

  it("passes standard input on, byte for byte, and its end", async () => {
    script("echo.py", "import sys\ndata = sys.stdin.buffer.read()\nsys.stdout.buffer.write(data[::-1])\n");
    const child = start(["profile", "echo.py", "--target", target, "--json"]);
    const result = ended(child);
    const bytes = Buffer.from([...Array(256).keys()].filter((byte) => byte < 128));
    child.stdin.write(bytes.subarray(0, 100));
    child.stdin.end(bytes.subarray(100));
    const { status, stderr } = await result;
    expect(status).toBe(0);
    expect(Buffer.from(stderr, "latin1")).toEqual(Buffer.from(bytes).reverse());
  });

  it("passes on more input than is kept on the way", async () => {
    script(
      "count.py",
      "import sys\nn = 0\nfor part in iter(lambda: sys.stdin.buffer.read1(1 << 20), b''):\n    n += len(part)\nprint(n)\n",
    );
    const child = start(["profile", "count.py", "--target", target, "--quiet"]);
    const result = ended(child);
    const block = Buffer.alloc(1 << 20, "x");
    Readable.from(Array.from({ length: 80 }, () => block)).pipe(child.stdin);
    const { status, stdout, stderr } = await result;
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^83886080\n/);
  });

  it("ends the run on Ctrl-C and prints what was measured", async () => {
    script(
      "endless.py",
      'import time\nkept = bytearray(24 << 20)\nprint("ready", flush=True)\nwhile True:\n    time.sleep(0.05)\n',
    );
    const child = start(["profile", "endless.py", "--target", target]);
    const result = ended(child);
    await said(child.stdout, "ready");
    child.kill("SIGINT");
    const { status, stdout, stderr } = await result;
    expect(stderr).toContain("press Ctrl-C again");
    expect(stdout).toContain("The run was cancelled");
    expect(cells(stdout, "kept = bytearray")[2]).toMatch(/^\+24\.[01] MiB$/);
    expect(status).toBe(130);
  });
});

describe("ends", () => {
  it("a signal gives 128 + its number, and where it happened", async () => {
    script("crash.py", "import os, signal\nkept = bytearray(4 << 20)\nos.kill(os.getpid(), signal.SIGSEGV)\n");
    const { status, stdout } = await run("profile", "crash.py", "--target", "local");
    expect(stdout).toContain("was ended by the signal SIGSEGV");
    expect(stdout).toContain("was at crash.py:3  os.kill(os.getpid(), signal.SIGSEGV)");
    expect(status).toBe(139);
  });

  it("a syntax error is Python's own message", async () => {
    script("wrong.py", "def f(:\n    pass\n");
    const { status, stderr } = await run("profile", "wrong.py", "--target", "local");
    expect(stderr).toMatch(/File ".*wrong\.py", line 1[\s\S]*SyntaxError/);
    expect(status).toBe(1);
  });

  it("a second Ctrl-C quits at once", async () => {
    script(
      "stubborn.py",
      'import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint("ready", flush=True)\ntime.sleep(60)\n',
    );
    const child = start(["profile", "stubborn.py", "--target", "local"]);
    const result = ended(child);
    await said(child.stdout, "ready");
    child.kill("SIGINT");
    await said(child.stderr, "again");
    // One that comes at once is taken for the same.
    await vi.waitFor(
      () => {
        child.kill("SIGINT");
        expect(child.exitCode).not.toBeNull();
      },
      { timeout: 60_000, interval: 200 },
    );
    // It did not wait for the run's end, or it would have a report.
    const quit = await result;
    expect(quit).toMatchObject({ status: 130, stdout: "ready\n" });
    expect(quit.stderr).toContain("If it is still running: jetson-memprof cancel last\n");
    const attached = await run("attach", "last");
    expect(attached.stdout).toContain("The run was cancelled");
  });

  it("one Ctrl-C that comes twice ends the run as one does", async () => {
    script("wait.py", 'import time\nkept = bytearray(8 << 20)\nprint("ready", flush=True)\ntime.sleep(60)\n');
    const child = start(["profile", "wait.py", "--target", "local"]);
    const result = ended(child);
    await said(child.stdout, "ready");
    child.kill("SIGINT");
    child.kill("SIGTERM");
    const { status, stdout } = await result;
    expect(status).toBe(130);
    expect(stdout).toContain("The run was cancelled; the figures end there.");
  });

  it("a run that nobody follows is ended by cancel, and what it measured is brought home", async () => {
    script(
      "stubborn.py",
      "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nkept = bytearray(12 << 20)\n" +
        'print("ready", flush=True)\ntime.sleep(600)\n',
    );
    const child = start(["profile", "stubborn.py", "--target", "loopback"]);
    const result = ended(child);
    await said(child.stdout, "ready");
    child.kill("SIGKILL");
    await result;
    const { status, stdout, stderr } = await run("cancel", "last");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^The run was cancelled; the figures end there\.\nRun folder: .+\n$/);
    const shown = await run("show", "last");
    expect(cells(shown.stdout, "kept = bytearray")[2]).toMatch(/^\+12\.[01] MiB$/);
    // Again: there is nothing to end any more.
    expect(await run("cancel", "last")).toMatchObject({ status: 0, stdout, stderr: "" });
  });

  it("a script that never ends is looked at without ending it, and since a moment", async () => {
    script(
      "serve.py",
      'import os, time\nloaded = bytearray(20 << 20)\nkept = []\nprint("ready", flush=True)\nwhile True:\n' +
        '    if os.path.exists("request"):\n        os.remove("request")\n' +
        "        kept.append(bytearray(6 << 20))\n    time.sleep(0.05)\n",
    );
    const child = start(["profile", "serve.py", "--target", "local"]);
    const result = ended(child);
    await said(child.stdout, "ready");
    child.kill("SIGKILL");
    await result;
    const runs = path.join(scene.project, ".jetson-memprof/runs");
    const [name = ""] = fs.readdirSync(runs).filter((one) => one.includes("serve"));
    /** Until the table that the board writes every few seconds has the line. */
    const looked = async (line: string, ...options: readonly string[]) =>
      await vi.waitFor(
        async () => {
          const once = await run("attach", "last", "--once", ...options);
          expect(once).toMatchObject({ status: 0, stderr: "" });
          expect(cells(once.stdout, line)[2]).toMatch(/MiB$/);
          return once.stdout;
        },
        { timeout: 60_000, interval: 500 },
      );
    const before = await looked("loaded = bytearray");
    expect(before).toContain("The run is still in progress.");
    expect(cells(before, "loaded = bytearray")[2]).toMatch(/^\+20\.[01] MiB$/);
    const samples = fs
      .readFileSync(path.join(runs, name, "samples.jsonl"), "utf8")
      .trim()
      .split("\n");
    const { t } = JSON.parse(samples.at(-1) ?? "{}");
    fs.writeFileSync(path.join(scene.project, "request"), "");
    const since = await looked("kept.append", "--since", `${t}ms`);
    expect(cells(since, "kept.append")[2]).toMatch(/^\+6\.[01] MiB$/);
    expect(since).toMatch(/^Lines: what they took since .* of the run, until /m);
    expect(since).not.toContain("+20.");
    const json = JSON.parse((await run("show", "last", "--since", `${t}ms`, "--json")).stdout);
    expect(json.since_ms).toBe(t);
    expect((await run("show", "last", "--since", "9h")).stderr).toContain("attach RUN --once");
    expect(await run("cancel", "last")).toMatchObject({ status: 0 });
  });

  it("a run that was left behind is found again and followed to its end", async () => {
    script(
      "slow.py",
      'import time\nkept = bytearray(12 << 20)\nprint("ready", flush=True)\ntime.sleep(3)\nprint("done")\n',
    );
    const child = start(["profile", "slow.py", "--target", "loopback"]);
    const result = ended(child);
    await said(child.stdout, "ready");
    child.kill("SIGKILL");
    await result;
    const { status, stdout, stderr } = await run("attach", "last");
    expect(stderr).toBe("");
    expect(stdout).toContain("done");
    expect(cells(stdout, "kept = bytearray")[2]).toMatch(/^\+12\.[01] MiB$/);
    expect(status).toBe(0);
  });
});

describe("the command line", () => {
  it.each([
    [["profile", "train.py"], /Name a target to run/],
    [["profile", "missing.py", "--target", "local"], /There is no script missing\.py/],
    [["profile", "-m", "x", "--target", "local", "--project", "nowhere"], /There is no folder nowhere/],
    [["frobnicate"], /no command "frobnicate"/],
  ])("%j is refused with status 64", async (args, message) => {
    const { status, stdout, stderr } = await run(...args);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/--help/);
    expect(stdout).toBe("");
    expect(status).toBe(64);
  });

  it("a whole home folder is not sent to a board unasked", async () => {
    fs.writeFileSync(path.join(scene.home, "secret.txt"), "x");
    fs.writeFileSync(path.join(scene.home, "a.py"), "x = 1\n");
    script("b.py", "y = 1\n");
    const atHome = async (...args: string[]) => {
      const child = start(["profile", "--target", "loopback", ...args], scene.home);
      child.stdin.end();
      return await ended(child);
    };
    for (const entry of [["a.py"], ["-m", "a"]]) {
      const refused = await atHome(...entry);
      expect(refused.stderr).toMatch(/your home folder.*--project/s);
      expect(refused.status).toBe(64);
    }
    const below = await atHome("my project/b.py");
    expect(below.status).toBe(0);
    expect(below.stdout).toContain(path.join(scene.project, ".jetson-memprof"));
  });

  it("tells what would be sent, reaching and making nothing", async () => {
    script("a.py", "x = 1\n");
    script("data/big.bin", "x".repeat(3 << 20));
    script(".env", "TOKEN=1");
    script(".gitignore", "out/\n");
    script("out/log.txt", "");
    const args = ["profile", "a.py", "--target", "nano@127.0.0.1:1", "--dry-run"];
    const { status, stdout, stderr } = await run(...args, "--exclude", "*.md");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(
      [
        `3 files (3.0 MiB) of ${scene.project} would be on ssh://nano@127.0.0.1:1.`,
        "The largest: data/ 3.0 MiB, a.py 6 B, .gitignore 5 B",
        "What stays here, and why:",
        "• credentials, by their names: .env",
        "• named in .gitignore: out/",
        "Of these, only what the board does not have yet would be sent. Nothing was sent now.\n",
      ].join("\n"),
    );
    const { stdout: json } = await run(...args, "--json");
    expect(JSON.parse(json)).toEqual({
      schema: 1,
      project: scene.project,
      target: "ssh://nano@127.0.0.1:1",
      bytes: (3 << 20) + 11,
      files: [
        { path: ".gitignore", bytes: 5 },
        { path: "a.py", bytes: 6 },
        { path: "data/big.bin", bytes: 3 << 20 },
      ],
      stays: { credential: [".env"], gitignore: ["out/"] },
      notes: [],
    });
    expect((await run("profile", "a.py", "--target", "local", "--dry-run")).stdout).toMatch(/^Nothing would be sent/);
    const excluded = await run(...args, "--exclude", "a.py");
    expect([excluded.status, excluded.stdout]).toEqual([70, ""]);
    expect(fs.existsSync(path.join(scene.project, ".jetson-memprof"))).toBe(false);
  });

  it("shows no control characters of what was typed", async () => {
    const { status, stderr } = await run("frob\u001b[2J");
    expect(status).toBe(64);
    expect(stderr).toContain("frob?[2J");
  });

  it("a board that cannot be reached is a failure with advice", async () => {
    script("a.py", "x = 1\n");
    const { status, stderr } = await run("profile", "a.py", "--target", "ssh://nobody@127.0.0.1:1");
    expect(stderr).toMatch(/^jetson-memprof: .*127\.0\.0\.1/);
    expect(stderr.trim().split("\n").length).toBeGreaterThan(1);
    expect(status).toBe(70);
  });

  it("does not reach the board that a run's folder or a sweep's plan names where another account made it", async () => {
    const id = "20260101-000000-train-0000";
    const runs = ".jetson-memprof/runs";
    const target = "ssh://nano@127.0.0.1:1";
    const origin = { schema: 1, target, board_folder: `/home/nano/.jetson-memprof/runs/${id}` };
    script(`${runs}/${id}/origin.json`, JSON.stringify(origin));
    for (const command of ["attach", "cancel"]) {
      const { status, stderr } = await run(command, path.join(runs, id));
      expect(stderr).toBe(
        `jetson-memprof: The folder of ${id} was not made by this account. It says that the run is on ${target}.\n` +
          `Where you know that board, name it yourself: --target ${target}\n`,
      );
      expect(status).toBe(70);
    }
    const plan = {
      schema: 1,
      id: "20260101-000000-train",
      parameters: [{ name: "batch", values: ["1", "2"], way: "option" }],
      repeat: 1,
      larger: "skip",
      command: {
        entry: { kind: "script", path: "train.py" },
        args: [],
        target,
        engine: "line",
        exact: false,
        accelerator: true,
        excludes: [],
        variables: [],
      },
    };
    script("train.py", "x = 1\n");
    script(`${runs}/${plan.id}.sweep.json`, JSON.stringify(plan));
    const resumed = await run("sweep", "--resume", plan.id);
    expect(resumed.stderr).toContain(`No run of this sweep was made by this account on ${target}`);
    expect(resumed.status).toBe(70);
  });

  it("a reader that goes away does no harm", async () => {
    script("long.py", `${"x = 1\n".repeat(20_000)}`);
    const child = start(["profile", "long.py", "--target", "local"]);
    child.stdin.end();
    child.stdout.destroy();
    expect((await ended(child)).status).toBe(0);
    const shown = start(["show", "last"]);
    shown.stdin.end();
    shown.stdout.once("data", () => shown.stdout.destroy());
    const { status, stderr } = await ended(shown);
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });

  it.skipIf(!fs.existsSync("/dev/full"))("output that cannot be written is a failure, and said", async () => {
    const command = [process.execPath, scene.file, "help", "profile"];
    const { status, stderr } = spawnSync("sh", ["-c", '"$@" > /dev/full', "sh", ...command], { encoding: "utf8" });
    expect(stderr).toMatch(/^jetson-memprof: standard output could not be written: .*ENOSPC/);
    expect(status).toBe(70);
  });

  it("watching ends when nobody reads it any more", async () => {
    const child = start(["watch", "--target", "local", "--interval", "0.25"]);
    child.stdout.once("data", () => child.stdout.destroy());
    expect((await ended(child)).status).toBe(0);
  });

  it("puts the run where --out says, and shows it from there", async () => {
    script("a.py", "x = bytearray(4 << 20)\n");
    const { stdout, status } = await run("profile", "a.py", "--target", "local", "--out", "elsewhere", "--quiet");
    expect(status).toBe(0);
    expect(stdout).not.toContain("Run folder");
    const [name = ""] = fs.readdirSync(path.join(scene.project, "elsewhere"));
    const shown = await run("show", path.join("elsewhere", name), "--format", "memory_profiler");
    expect(shown.stdout).toMatch(
      /^Filename: a\.py\n\nLine # {4}Mem usage {4}Increment {2}Occurrences {3}Line Contents\n={61}\n/,
    );
    expect(shown.stdout).toMatch(/ {5}1 +\d+\.\d{3} MiB +4\.0\d\d MiB +1 {3}x = bytearray/);
    expect(fs.existsSync(path.join(scene.project, ".jetson-memprof"))).toBe(false);
  });

  it("knows its version and helps", async () => {
    const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
    expect((await run("--version")).stdout).toBe(`${version}\n`);
    expect((await run("--help")).stdout).toContain("  profile  ");
    expect((await run("help", "profile")).stdout).toContain("jetson-memprof profile");
  });
});

const debianPython = "/usr/bin/python3";
const package_ = "/usr/lib/python3/dist-packages/memory_profiler.py";
describe.skipIf(!requirement("python3-memory-profiler", package_))("the engine memory_profiler", () => {
  it("runs the package and takes over its figures", async () => {
    script("own.py", "@profile\ndef main():\n    a = bytearray(32 << 20)\n    return a\n\nx = main()\n");
    const args = ["--engine", "memory_profiler", "--python", debianPython, "--json", "--target", "local", "own.py"];
    const { status, stdout, stderr } = await run("profile", ...args);
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const result = JSON.parse(stdout);
    const row = result.files[0].lines.find((entry: { line: number }) => entry.line === 3);
    expect(Math.abs(row.net_bytes - (32 << 20))).toBeLessThan(512 * 1024);
    expect(row).not.toHaveProperty("self_bytes");
    expect(row).not.toHaveProperty("peak_bytes");
    const entry = result.files[0].lines.find((other: { line: number }) => other.line === 1);
    expect(entry).toMatchObject({ hits: 1 });
    expect(entry).not.toHaveProperty("net_bytes");
  });
});
