/** A real process maps memory of each kind, and the ledger made of the helper's own records moves by that much. */
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, expect, it } from "vitest";
import { makeLedger } from "../../../src/board/ledger/ledger.ts";
import { readMoments } from "../../../src/board/node/readMoments.ts";
import { listRunFolders, runsFolderOf } from "../../../src/profile/run/runsFolder.ts";
import { useProgram } from "./program.ts";

const MIB = 1024 * 1024;
const SIZE = 256 * MIB;

/**
 * Maps and touches; after each step it waits until the helper has written two more moments, of which the second was
 * taken after the step for certain, and prints how many there are.
 */
const SCRIPT = `import glob, mmap, os, sys, time

SIZE = ${SIZE}
RECORDS = glob.glob(os.path.expanduser("~/.jetson-memprof/runs/*/moments.jsonl"))[0]


def moments():
    with open(RECORDS, "rb") as file:
        return sum(line.endswith(b"\\n") and b'"record"' not in line for line in file)


def step(name):
    enough = moments() + 2
    while moments() < enough:
        time.sleep(0.05)
    print(name, moments() - 1, flush=True)


def touched(mapping):
    for at in range(0, SIZE, 4096):
        mapping[at] = 1
    return mapping


step("start")
private = touched(mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
step("run.anon")
shared = touched(mmap.mmap(-1, SIZE))
step("run.shmem")
with open(sys.argv[1], "wb") as file:
    for at in range(0, SIZE, 1 << 20):
        file.write(b"x" * (1 << 20))
step("written")
with open(sys.argv[1], "rb") as file:
    mapped = mmap.mmap(file.fileno(), SIZE, prot=mmap.PROT_READ)
    total = sum(mapped[at] for at in range(0, SIZE, 4096))
step("run.files")
private.close()
step("given back")
`;

describe("the ledger of a real run", () => {
  const program = useProgram();

  it.runIf(process.platform === "linux")("moves by what a process maps, within 1 per cent, and adds up", async () => {
    program.script("maps.py", SCRIPT);
    // Not in a temporary file system: a file in RAM is shared memory.
    const file = path.join(fs.mkdtempSync("/var/tmp/jmp-ledger-"), "mapped");
    try {
      const result = await program.run("profile", "maps.py", file, "--target", "local", "--quiet");
      expect(result.stderr).toBe("");
      expect(result.status).toBe(0);
      const [folder = ""] = await listRunFolders(runsFolderOf(program.project));
      const table = await readMoments(folder);
      if (table?.baseline === undefined) throw new Error("no moments");
      const baseline = table.moment(table.baseline);
      const ledgers = Array.from({ length: table.size }, (_, index) => makeLedger(table.moment(index), baseline));
      for (const { rows, total } of ledgers) {
        expect(rows.reduce((sum, { bytes = 0 }) => sum + bytes, 0)).toBe(total);
      }
      const steps = [...result.stdout.matchAll(/^(start|run\.\w+|written|given back) (\d+)$/gm)].map(
        ([, name = "", index]) => ({ name, index: Number(index) }),
      );
      expect(steps.map(({ name }) => name)).toEqual([
        "start",
        "run.anon",
        "run.shmem",
        "written",
        "run.files",
        "given back",
      ]);
      const moved = (id: string, from: number, to: number) => {
        const bytes = (step: number) =>
          ledgers[steps[step]?.index ?? -1]?.rows.find((row) => row.id === id)?.bytes ?? 0;
        return (bytes(to) - bytes(from)) / SIZE;
      };
      for (const [id, from, to, change] of [
        ["run.anon", 0, 1, 1],
        ["run.shmem", 1, 2, 1],
        ["run.files", 3, 4, 1],
        ["run.anon", 4, 5, -1],
      ] as const) {
        expect(Math.abs(moved(id, from, to) - change), `${id} from step ${from}`).toBeLessThanOrEqual(0.01);
      }
    } finally {
      fs.rmSync(path.dirname(file), { recursive: true });
    }
  });
});
