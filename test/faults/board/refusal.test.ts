import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { MassifRequest, ProfileRequest, RunOutcome } from "../../../src/protocol/run/run.ts";
import type { OpenTarget } from "../../../src/remote/transport/openTarget.ts";
import { requirement } from "../../support/requirement.ts";
import { filesBelow, makeScene } from "../../support/scene.ts";
import {
  asUser,
  boardWithin,
  environment,
  expectRefused,
  homeOf,
  type Judged,
  otherUsers,
  ownMounts,
  type Prefix,
  PYTHON,
  pythonWithout,
  refusing,
  runWarnings,
  soundRuns,
  strictRun,
  withMounts,
} from "./support/strictBoard.ts";

const scene = makeScene();
afterAll(() => scene.remove());

/** A run in which everything must be as always, but for what is told of it. */
const soundRun = (fault: string, open: OpenTarget, changes: Partial<ProfileRequest> = {}): Promise<Judged> =>
  soundRuns(scene, fault, open, changes);

const implementations = ({ record: run }: Judged): unknown =>
  (run["processes"] as readonly { readonly implementation: string }[]).map((one) => one.implementation);

const MASSIF: MassifRequest = {
  threshold: 1,
  depth: 30,
  pagesAsHeap: false,
  gpu: false,
  frames: true,
  maxHits: 3,
  lines: [],
};
/** What valgrind itself sees came home, and it is said why there is no more. */
function expectPlainStacks({ kind, folder = "" }: RunOutcome): void {
  expect(kind).toBe("finished");
  expect(filesBelow(folder).filter((name) => /^massif\.out\.\d+$/.test(name))).toHaveLength(1);
  expect(runWarnings(folder)).toContain("massif-frames-refused");
}

const HERE = boardWithin();
const valgrind = requirement("valgrind", "/usr/bin/valgrind");

describe("a system that refuses to make memory executable", () => {
  it("does not keep the accelerator away, which is a library like any other", async () => {
    const run = await soundRun("memory may not be made executable", boardWithin(refusing("execmem")));
    expect(run.warnings).toEqual([]);
    expect(implementations(run)).toEqual(["accelerator"]);
  });

  it.runIf(valgrind)("refuses massif in words, before anything is started", async () => {
    const outcome = await strictRun(scene, boardWithin(refusing("execmem")), { engine: "massif", massif: MASSIF });
    expectRefused("massif where memory may not be made executable", outcome, "valgrind-refused", "line engine");
    expect(scene.events.filter((event) => event.kind === "phase" && event.phase === "sync")).toEqual([]);
  });
});

describe("a system that refuses calls which observe other processes", () => {
  it("makes no difference: none of them is needed", async () => {
    const run = await soundRun("prctl, perf and ptrace refused", boardWithin(refusing("prctl", "perf", "ptrace")));
    expect(run.warnings).toEqual([]);
    expect(implementations(run)).toEqual(["accelerator"]);
  });
});

describe("a Python that was built without", () => {
  let built = 0;
  const without = (...modules: readonly string[]): string =>
    pythonWithout(join(scene.board, "..", `python-${built++}`), modules);

  it("ctypes: the line engine does not need it", async () => {
    const run = await soundRun("Python without ctypes", HERE, { python: without("_ctypes") });
    expect(run.warnings).toEqual([]);
    expect(implementations(run)).toEqual(["accelerator"]);
  });

  it("resource: peaks are read from where they cost more", async () => {
    const run = await soundRun("Python without resource", HERE, { python: without("resource") });
    expect(run.warnings).toEqual([]);
  });

  it("OpenSSL, SQLite and compression: none of them is needed", async () => {
    const python = without("_hashlib", "_ssl", "_sqlite3", "_lzma", "_bz2", "zlib", "_uuid", "_decimal", "_queue");
    const run = await soundRun("Python without _hashlib, zlib, sqlite3, lzma and more", HERE, { python });
    expect(run.warnings).toEqual([]);
  });

  it("mmap: it is said what is missing where, and the run does not begin", async () => {
    const python = without("mmap");
    const outcome = await strictRun(scene, HERE, { python });
    expectRefused("Python without mmap", outcome, "python-incomplete", `${python} (3.`, "no module mmap");
  });

  it.runIf(valgrind)(
    "ctypes, under massif: native stacks come home, and it is said that they have no Python frames",
    async () => {
      const outcome = await strictRun(scene, HERE, { engine: "massif", massif: MASSIF, python: without("_ctypes") });
      expectPlainStacks(outcome);
    },
  );
});

describe.runIf(ownMounts)("file systems that refuse", () => {
  const within = async (script: string, use: (prefix: Prefix) => Promise<void>): Promise<void> => {
    const mounts = await withMounts(script);
    try {
      await use(mounts.prefix);
    } finally {
      await mounts.end();
    }
  };
  const NO_EXEC = "mount --bind /tmp /tmp; mount -o remount,bind,noexec /tmp; mount -t tmpfs -o noexec none /dev/shm";

  it("nothing may be executed in the board's folder, /tmp and shared memory: the pure engine measures, and it is said", async () => {
    await within(NO_EXEC, async (prefix) => {
      const run = await soundRun("noexec board folder, /tmp and /dev/shm", boardWithin(prefix));
      expect(run.warnings).toEqual(["accelerator-refused"]);
      expect(implementations(run)).toEqual(["pure"]);
    });
  });

  it.runIf(valgrind)(
    "nor under massif: native stacks come home, and it is said that they have no Python frames",
    async () => {
      await within(NO_EXEC, async (prefix) => {
        const outcome = await strictRun(scene, boardWithin(prefix), { engine: "massif", massif: MASSIF });
        expectPlainStacks(outcome);
      });
    },
  );

  it("no shared memory: the counters lie elsewhere, and nothing is lost", async () => {
    await within("mount -t tmpfs -o ro none /dev/shm", async (prefix) => {
      const run = await soundRun("no /dev/shm", boardWithin(prefix));
      expect(run.warnings).toEqual([]);
    });
  });

  it("neither shared memory nor /tmp can be written to: the counters lie in the run's folder", async () => {
    mkdirSync(join(scene.board, "..", "disk"));
    const script = [
      "mount -t tmpfs -o ro none /dev/shm",
      "mount --bind /tmp /tmp",
      "mount -o remount,bind,ro /tmp",
      `mount -t tmpfs none '${join(scene.board, "..", "disk")}'`,
    ].join("; ");
    await within(script, async (prefix) => {
      const boardFolder = join(scene.board, "..", "disk", "memprof");
      const run = await soundRun("neither /dev/shm nor /tmp writable", boardWithin(prefix), { boardFolder });
      expect(run.warnings).toEqual([]);
    });
  });

  it("a /proc that shows no process: it is said what is missing, and the run does not begin", async () => {
    // Who is who in a user namespace is still told, as an ordinary user needs one to mount anything.
    const script = [
      "map=$(cat /proc/self/uid_map); unknown=$(cat /proc/sys/kernel/overflowuid)",
      "mount -t tmpfs none /proc; mkdir -p /proc/self /proc/sys/kernel",
      'echo "$map" > /proc/self/uid_map; echo "$unknown" > /proc/sys/kernel/overflowuid',
    ].join("; ");
    await within(script, async (prefix) => {
      const outcome = await strictRun(scene, boardWithin(prefix));
      expectRefused("/proc shows no process", outcome, "no-proc", "/proc/self/statm");
    });
  });

  it.runIf(otherUsers)("other users' processes are hidden: the run is measured as always", async () => {
    const home = homeOf(61_001);
    try {
      await within("mount -t proc -o hidepid=2 proc /proc", async (prefix) => {
        const open = boardWithin(prefix, environment(`HOME=${home.path}`), asUser(61_001));
        const run = await soundRun("/proc hides other users' processes", open, {
          boardFolder: "~/.jetson-memprof",
          python: PYTHON,
        });
        expect(run.warnings).toEqual([]);
      });
    } finally {
      await home.remove();
    }
  });
});
