/** Sweeps with real runs: known lines are found again, want of memory is told from failures, and nothing made is lost. */
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { inFull } from "../../support/inFull.ts";
import { ended, useProgram, useSimulatedBoard } from "./program.ts";

const MIB = 2 ** 20;

/** Holds a known number of MiB until it ends. */
const KNOWN = `import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int)
parser.add_argument("--fixed", type=int, default=30)
parser.add_argument("--double", action="store_true")
given = parser.parse_args()
each = 4 if given.double else 2
kept = bytearray(b"x") * ((given.fixed + each * given.batch) << 20)
print("script's own words")
`;

/** Takes the memory of the simulated board: its meminfo moves, and beyond what it has PyTorch's words end the script. */
const SIMULATED = `import glob, os, re, sys, time
batch = int(sys.argv[sys.argv.index("--batch") + 1])
if batch == 5:
    sys.exit("no such batch")
place = os.path.join(os.environ["JETSON_MEMPROF_SYSTEM_ROOT"], "proc/meminfo")
idle = open(place).read()
available = int(re.search(r"MemAvailable: *(\\d+) kB", idle).group(1))
left = available - (100 + 8 * batch) * 1024
if left < 0:
    raise RuntimeError("CUDA out of memory. Tried to allocate 96.00 MiB (GPU 0; 3.87 GiB total capacity; "
                       "1.41 GiB already allocated; 61.52 MiB free; 2.05 GiB reserved in total by PyTorch)")
def write(text):
    with open(place + ".new", "w") as file:
        file.write(text)
    os.replace(place + ".new", place)
write(re.sub(r"MemAvailable: *\\d+ kB", "MemAvailable: %d kB" % left, idle))
# Until the run has a moment with it; a run's id is in the order of its time.
moments = max(glob.glob(os.path.expanduser("~/.jetson-memprof/runs/*/moments.jsonl")))
for _ in range(600):
    if str(left) in open(moments).read():
        break
    time.sleep(0.05)
write(idle)
`;

/** A real limit that the script sets itself, which stands for a board with less memory: the kernel refuses the rest. */
const LIMITED = `import re, resource, sys
batch = int(sys.argv[sys.argv.index("--batch") + 1])
size = int(re.search(r"VmSize:\\s+(\\d+)", open("/proc/self/status").read()).group(1)) * 1024
resource.setrlimit(resource.RLIMIT_AS, (size + (200 << 20), resource.RLIM_INFINITY))
kept = bytearray(b"x") * (batch << 20)
`;

interface SweepJson {
  readonly sweep: {
    readonly id: string;
    readonly target?: string;
    readonly board?: string;
    readonly simulated: boolean;
  };
  readonly points: readonly {
    readonly values: Readonly<Record<string, string>>;
    readonly state: string;
    readonly reason?: string;
    readonly runs: readonly string[];
    readonly available_bytes?: number;
    readonly peaks: Readonly<Record<string, { readonly median_bytes: number; readonly spread_bytes?: number }>>;
  }[];
  readonly limits: readonly {
    readonly others: Readonly<Record<string, string>>;
    readonly largest_run?: number;
    readonly smallest_out_of_memory?: number;
    readonly estimate?: { readonly figure: string; readonly largest: number };
    readonly estimates: readonly {
      readonly figure: string;
      readonly kind: string;
      readonly line?: { readonly bytes_each: number; readonly fixed_bytes: number };
    }[];
  }[];
}

const rssLine = ({ limits }: SweepJson, others: Readonly<Record<string, string>>) => {
  const limit = limits.find((one) => JSON.stringify(one.others) === JSON.stringify(others));
  return limit?.estimates.find(({ figure }) => figure === "rss")?.line ?? { bytes_each: 0, fixed_bytes: 0 };
};

describe.runIf(process.platform === "linux")("a sweep of real runs", () => {
  const program = useProgram();
  const runsFolder = () => path.join(program.project, ".jetson-memprof/runs");

  it("finds the slope of known lines within 2 %, and how far they lie apart within 1 MiB", async () => {
    program.script("known.py", KNOWN);
    const doubles = inFull ? (["off", "on"] as const) : (["on"] as const);
    const grid = ["--grid", "fixed=20,60", "--grid", `double=${doubles.join()}`, "--grid", "batch=8,16,24"];
    const result = await program.run("sweep", ...grid, "--target", "local", "--json", "--quiet", "known.py");
    expect(result).toMatchObject({ status: 0, stderr: "" });
    const json: SweepJson = JSON.parse(result.stdout);
    expect(json.points.map(({ state }) => state)).toEqual(Array(6 * doubles.length).fill("fits"));
    for (const fixed of ["20", "60"]) {
      for (const double of doubles) {
        const each = double === "on" ? 4 : 2;
        const slope = rssLine(json, { fixed, double }).bytes_each / MIB;
        expect(slope / each, `${fixed} ${double}`).toBeGreaterThan(0.98);
        expect(slope / each, `${fixed} ${double}`).toBeLessThan(1.02);
      }
    }
    const [low, high] = ["20", "60"].map((fixed) => rssLine(json, { fixed, double: "on" }).fixed_bytes / MIB);
    expect(Math.abs((high ?? 0) - (low ?? 0) - 40)).toBeLessThan(1);
  });

  it("tells of each point as it ends, keeps the scripts' words to the run folders, and is shown again", async () => {
    program.script("known.py", KNOWN);
    const result = await program.run(
      "sweep",
      "--grid",
      "batch=4,2",
      "--repeat",
      "2",
      "--target",
      "loopback",
      "known.py",
    );
    expect(result.status).toBe(0);
    expect(result.stdout).toMatch(/^batch 2: fits · RSS peak \d+\.\d MiB · .*\nbatch 4: fits/);
    expect(result.stdout).not.toContain("script's own words");
    expect(result.stderr).toContain("[2/2] batch 4, run 1 of 2, about ");
    expect(result.stdout).toContain("simulated board");
    expect(result.stdout).toMatch(/ {2}2 of 2 .* fits\n/);
    const shown = await program.run("sweep", "--show", "last");
    expect(shown).toEqual({
      status: 0,
      stdout: result.stdout.slice(result.stdout.indexOf("\n\n") + 1),
      stderr: "",
    });
    const json: SweepJson = JSON.parse((await program.run("sweep", "--show", "last", "--json")).stdout);
    expect(json.sweep.simulated).toBe(true);
    expect(json.points[0]?.runs).toHaveLength(2);
    const [run = ""] = json.points[1]?.runs ?? [];
    expect(fs.readFileSync(path.join(run, "stdout.log"), "utf8")).toContain("script's own words");
    const byRun = await program.run("sweep", "--show", path.basename(run), "--json");
    expect(JSON.parse(byRun.stdout).sweep.id).toBe(json.sweep.id);
  });

  it("runs on several boards at once; one that cannot be reached takes nothing from the others", async () => {
    program.script("known.py", KNOWN);
    const boards = "local,nobody@127.0.0.1:9,loopback";
    const words = ["sweep", "--boards", boards, "--grid", "batch=2,4", "known.py", "--fixed", "20"];
    const result = await program.run(...words);
    expect(result.status).toBe(1);
    expect(result.stderr).toContain("nobody@127.0.0.1:9 could not be used: ");
    expect(result.stderr).toMatch(/Some boards could not be used\. To make what is missing: .* --resume \S+\n$/);
    expect(result.stdout).toMatch(/^ *board +batch +RSS peak .*Available before +Time +Outcome\n/m);
    const json: SweepJson = JSON.parse((await program.run("sweep", "--show", "last", "--json")).stdout);
    expect(json.sweep).toMatchObject({ board: "board", simulated: true });
    expect(
      json.points.map(({ values, state, runs }) => [values["board"], values["batch"], state, runs.length]),
    ).toEqual([
      ["local", "2", "fits", 1],
      ["local", "4", "fits", 1],
      ["nobody@127.0.0.1:9", "2", "missing", 0],
      ["nobody@127.0.0.1:9", "4", "missing", 0],
      ["loopback", "2", "fits", 1],
      ["loopback", "4", "fits", 1],
    ]);
    const peaks = json.points.flatMap(({ peaks: { rss } }) => rss?.median_bytes ?? []);
    for (const [two = 0, four = 0] of [peaks.slice(0, 2), peaks.slice(2)]) {
      expect(Math.abs((four - two) / MIB - 4)).toBeLessThan(1);
    }
    expect(json.points.every(({ state, available_bytes: left }) => (left !== undefined) === (state === "fits"))).toBe(
      true,
    );
    // What is missing is tried again, what was made is not.
    for (const named of [[], ["--boards", "nobody@127.0.0.1:9"]]) {
      const again = await program.run("sweep", "--resume", "last", ...named, "--json");
      expect(again.status).toBe(1);
      // A plan may have come with a project: a board where none of the user's runs was made is theirs to name.
      const reason = named.length === 0 ? "name it yourself: --boards nobody@127.0.0.1:9" : "refused the connection";
      expect(again.stderr).toContain(reason);
      expect(again.stderr).not.toContain("[1/6]");
      expect(JSON.parse(again.stdout).points).toEqual(json.points);
    }
  });

  it("starts one training over several boards, and tells each which one it is", async () => {
    program.script("rank.py", "import os\nkept = bytearray((4 << 20) * (1 + int(os.environ['RANK'])))\n");
    program.script(
      "torchrun",
      `#!/bin/sh
echo "$@"
for word; do case $word in --node_rank=*) RANK=\${word#*=} ;; esac; done
while [ "\${1#--}" != "$1" ]; do shift; done
export RANK WORLD_SIZE=2
exec python3 "$@"
`,
    );
    fs.chmodSync(path.join(program.project, "torchrun"), 0o755);
    const words = ["--launch", "./torchrun", "--nproc-per-node=1", "rank.py", "--epochs", "1"];
    const result = await program.run("sweep", "--boards", "local,loopback", "--together", "--json", ...words);
    expect(result).toMatchObject({ status: 0 });
    const json: SweepJson = JSON.parse(result.stdout);
    for (const [node, { runs }] of json.points.entries()) {
      const [run = ""] = runs;
      expect(fs.readFileSync(path.join(run, "stdout.log"), "utf8")).toBe(
        `--nnodes=2 --node_rank=${node} --master_addr=127.0.0.1 --master_port=29500 --nproc-per-node=1 rank.py --epochs 1\n`,
      );
      const { processes } = JSON.parse(fs.readFileSync(path.join(run, "run.json"), "utf8"));
      expect(processes).toEqual([expect.objectContaining({ rank: node, ranks: 2 })]);
    }
    const again = await program.run("sweep", "--resume", "last");
    expect(again.stderr).toContain("a part of it cannot be made alone");
  });

  it("is interrupted by Ctrl-C, keeps what was made, and makes what is missing when it is resumed", async () => {
    const waits = "import sys, time\nprint('up', flush=True)\ntime.sleep(100 if sys.argv[-1] == '2' else 0)\n";
    program.script("waits.py", waits);
    const child = program.start(["sweep", "--grid", "n=1,2,3", "--target", "local", "--env", "KEY=abc", "waits.py"]);
    const result = ended(child);
    const runs = (): string[] =>
      fs
        .readdirSync(runsFolder())
        .filter((name) => /waits-[0-9a-f]{6}$/.test(name))
        .sort();
    const says = (run: string | undefined): string =>
      fs.readFileSync(path.join(runsFolder(), run ?? "", "stdout.log"), "utf8");
    await vi.waitFor(() => expect(says(runs()[1])).toContain("up"), { timeout: 60_000 });
    child.kill("SIGINT");
    const { status, stderr } = await result;
    expect(status).toBe(130);
    const id = /--resume (\S+)\n/.exec(stderr)?.[1] ?? "";
    const shown = await program.run("sweep", "--show", id, "--json");
    expect(JSON.parse(shown.stdout).points.map((point: { state: string }) => point.state)).toEqual([
      "fits",
      "missing",
      "missing",
    ]);
    expect(fs.readFileSync(path.join(runsFolder(), `${id}.sweep.json`), "utf8")).not.toContain("abc");
    const without = await program.run("sweep", "--resume", id);
    expect(without.stderr).toContain("Give them again: --env KEY=VALUE");

    program.script("waits.py", waits.replace("100", "0"));
    const resumed = await program.run("sweep", "--resume", id.slice(0, -2), "--env", "KEY=abc", "--json");
    expect(resumed.status).toBe(0);
    expect(resumed.stderr).not.toContain("[1/3]");
    const json: SweepJson = JSON.parse(resumed.stdout);
    expect(json.points.map(({ state, runs: made }) => [state, made.length])).toEqual(Array(3).fill(["fits", 1]));
    const again = await program.run("sweep", "--resume", id, "--env", "KEY=abc", "--quiet");
    expect(again.status).toBe(0);
    expect(runs()).toHaveLength(4);
  });

  it("follows a run that was left behind before anything of it came home, and begins no point twice", async () => {
    const begins = path.join(program.home, "begins");
    program.script(
      "left.py",
      `import sys, time\nopen(${JSON.stringify(begins)}, "a").write(sys.argv[-1])\nprint("up", flush=True)\ntime.sleep(4)\n`,
    );
    const child = program.start(["sweep", "--grid", "n=1,2", "--target", "local", "left.py"]);
    const result = ended(child);
    await vi.waitFor(() => expect(fs.readFileSync(begins, "utf8")).toBe("1"), { timeout: 60_000 });
    child.kill("SIGKILL");
    await result;
    const [name = ""] = fs.readdirSync(runsFolder()).filter((one) => /left-[0-9a-f]{6}$/.test(one));
    const run = path.join(runsFolder(), name);
    for (const file of fs.readdirSync(run)) {
      if (!/^(origin|group|git)\.json$/.test(file)) fs.rmSync(path.join(run, file), { recursive: true });
    }
    const resumed = await program.run("sweep", "--resume", "last", "--json");
    expect(resumed.stderr).toContain(`The run with n 1 is not known to have ended: ${run} is followed.`);
    expect(resumed.status).toBe(0);
    const json: SweepJson = JSON.parse(resumed.stdout);
    expect(json.points.map(({ state, runs }) => [state, runs.length])).toEqual(Array(2).fill(["fits", 1]));
    expect(json.points[0]?.runs).toEqual([run]);
    expect(fs.readFileSync(begins, "utf8")).toBe("12");
  });

  it("stops at a run that the board does not have, and says what to do", async () => {
    program.script("known.py", KNOWN);
    await program.run("sweep", "--grid", "batch=2,4", "--target", "local", "--quiet", "known.py");
    const [name = ""] = fs
      .readdirSync(runsFolder())
      .filter((one) => /known-[0-9a-f]{6}$/.test(one))
      .sort();
    const run = path.join(runsFolder(), name);
    fs.rmSync(path.join(run, "run.json"));
    fs.rmSync(path.join(program.home, ".jetson-memprof/runs", name), { recursive: true });
    const stopped = await program.run("sweep", "--resume", "last");
    expect(stopped.status).toBe(70);
    expect(stopped.stderr).toContain("The sweep stops here.");
    expect(stopped.stderr).toContain(`delete ${run}: the run with batch 2 is then made again.`);
    fs.rmSync(run, { recursive: true });
    const json: SweepJson = JSON.parse((await program.run("sweep", "--resume", "last", "--json")).stdout);
    expect(json.points.map(({ state, runs }) => [state, runs.length])).toEqual(Array(2).fill(["fits", 1]));
  });

  it("ends at a limit of the process's memory, and runs what is larger only where it is asked to", async () => {
    program.script("limited.py", LIMITED);
    const sweep = async (...more: readonly string[]): Promise<SweepJson> => {
      const args = ["sweep", "--grid", "batch=400,20,60,800", "--target", "local", "--json", "--quiet", ...more];
      const result = await program.run(...args, "limited.py");
      expect(result).toMatchObject({ status: 0, stderr: "" });
      return JSON.parse(result.stdout);
    };
    const skipping = await sweep();
    expect(skipping.points.map(({ state }) => state)).toEqual(["fits", "fits", "out-of-memory", "skipped"]);
    expect(skipping.points[2]?.reason).toContain("limited.py:5");
    expect(skipping.limits[0]).toMatchObject({ largest_run: 60, smallest_out_of_memory: 400 });
    expect(skipping.limits[0]?.estimate, "two peaks are no line").toBeUndefined();
    const all = await sweep("--all");
    expect(all.points.map(({ state }) => state)).toEqual(["fits", "fits", "out-of-memory", "out-of-memory"]);
  });

  it.each([
    [["--grid", "batch=1,1"], "The value 1 of batch is given twice."],
    [[], "Give something to vary"],
    [["--grid", "batch=1,2", "--repeat", "0"], "--repeat is a whole number"],
    [["--grid", "batch=1,2", "--engine", "massif"], "those of massif are valgrind's"],
    [["--grid", "batch=1,2", "--try", "amp"], "the change that --try makes"],
  ])("%j is refused before anything runs", async (args, message) => {
    program.script("known.py", KNOWN);
    const result = await program.run("sweep", ...args, "--target", "local", "known.py");
    expect(result.status).toBe(64);
    expect(result.stderr).toContain(message);
    expect(fs.existsSync(runsFolder())).toBe(false);
  });

  it("a sweep that is not there is said to be not there", async () => {
    const result = await program.run("sweep", "--show", "last");
    expect(result.status).toBe(70);
    expect(result.stderr).toContain('There is no sweep "last"');
  });
});

describe.runIf(process.platform === "linux")("a sweep on a simulated Jetson Nano", () => {
  const program = useProgram();
  useSimulatedBoard("nano");

  it("finds the largest batch that fits the board, and skips what is larger than one that did not", async () => {
    program.script("train.py", SIMULATED);
    const grid = ["--grid", "batch=5,32,64,128,512,1024"];
    const result = await program.run("sweep", ...grid, "--target", "local", "--json", "train.py");
    expect(result.status, "one point failed otherwise").toBe(1);
    const json: SweepJson = JSON.parse(result.stdout);
    expect(json.sweep.simulated).toBe(true);
    expect(json.points.map(({ values, state }) => [values["batch"], state])).toEqual([
      ["5", "failed"],
      ["32", "fits"],
      ["64", "fits"],
      ["128", "fits"],
      ["512", "out-of-memory"],
      ["1024", "skipped"],
    ]);
    expect(json.points[4]?.reason).toContain("CUDA");
    expect(json.points[2]?.peaks["board"]?.median_bytes).toBe((100 + 8 * 64) * MIB);
    const available = 3_030_412 / 1024;
    expect(json.limits[0]).toMatchObject({
      largest_run: 128,
      smallest_out_of_memory: 512,
      estimate: { figure: "board", largest: Math.floor((available - 100) / 8) },
    });
    const shown = await program.run("sweep", "--show", "last");
    expect(shown.stdout).toContain("┊ 2959.4 MiB available on the board right before the runs");
    expect(shown.stdout).toContain("128 is the largest that ran, 512 ran out of memory.");
    expect(shown.stdout).toContain("Estimate: up to 357 fits, by Board's memory.");
  });
});
