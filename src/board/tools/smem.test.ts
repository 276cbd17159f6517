import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { makeLedger } from "../ledger/ledger.ts";
import type { Moment } from "../moments/model.ts";
import { parseMeminfo } from "../parse/meminfo.ts";
import { boardMoment, KIB, type TestBoard, training } from "../testing.ts";
import { type SmemArea, smemWhole } from "./smem.ts";

const FIXTURES = path.resolve("../shared/fixtures");
const hasFixtures = fs.existsSync(path.join(FIXTURES, "smem"));
const hasSmem = childProcess.spawnSync("smem", ["--help"]).status === 0;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true });
});

const inKilobytes = ({ used, cache, noncache }: SmemArea): number[] => [used, cache, noncache].map((n) => n / KIB);

/** What `smem -S DIR -w` prints, in kB, by its rows. */
function smemOf(meminfo: string): Record<string, number[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "smem-"));
  folders.push(folder);
  fs.mkdirSync(path.join(folder, "proc"));
  fs.writeFileSync(path.join(folder, "proc", "meminfo"), meminfo);
  fs.writeFileSync(path.join(folder, "proc", "version"), "Linux version 4.9.253-tegra (a@b) (gcc) #1 SMP\n");
  const printed = childProcess.execFileSync("smem", ["-S", folder, "-w"], { encoding: "utf8" });
  const rows = [...printed.matchAll(/^(\D+?) +(-?\d+) +(-?\d+) +(-?\d+) *$/gm)];
  return Object.fromEntries(rows.map(([, name = "", ...figures]) => [name, figures.map(Number)]));
}

const meminfoText = ({ meminfo }: Moment): string =>
  Object.entries(meminfo)
    .map(([name, value]) => (name.startsWith("HugePages_") ? `${name}: ${value}\n` : `${name}: ${value / KIB} kB\n`))
    .join("");

describe("smem -w", () => {
  it.runIf(hasFixtures).each(["nano_jp4.6", "tx2_jp4.6"])("is computed to the kB as it was printed for %s", (name) => {
    const expected = JSON.parse(fs.readFileSync(path.join(FIXTURES, "smem/expected_w_kB.json"), "utf8"))[name];
    const whole = smemWhole(parseMeminfo(fs.readFileSync(path.join(FIXTURES, `meminfo/${name}.txt`), "utf8")));
    expect(whole && inKilobytes(whole.kernel)).toEqual(expected["kernel dynamic memory"]);
    expect(whole && inKilobytes(whole.userspace)).toEqual(expected["userspace memory"]);
    expect(whole && inKilobytes(whole.free)).toEqual(expected["free memory"]);
  });

  it.runIf(hasSmem).each<TestBoard>(["nano", "orin", "pc"])(
    "agrees with the smem that is installed, on a %s",
    (board) => {
      for (const load of training(8)) {
        const moment = boardMoment(board, load);
        const whole = smemWhole(moment.meminfo);
        const printed = smemOf(meminfoText(moment));
        expect(whole && inKilobytes(whole.kernel)).toEqual(printed["kernel dynamic memory"]);
        expect(whole && inKilobytes(whole.userspace)).toEqual(printed["userspace memory"]);
        expect(whole && inKilobytes(whole.free)).toEqual(printed["free memory"]);
      }
    },
  );

  it("is not told where the kernel does not print what it is made of", () => {
    expect(smemWhole({ MemTotal: 5, MemFree: 3 })).toBeUndefined();
  });
});

describe("the ledger of a real board", () => {
  it.runIf(hasFixtures).each([
    ["nano_jp4.6", 198_928],
    ["tx2_jp4.6", 208_360],
  ] as const)("adds up, and holds what smem calls noncache (%s)", (name, unattributed) => {
    const meminfo = parseMeminfo(fs.readFileSync(path.join(FIXTURES, `meminfo/${name}.txt`), "utf8"));
    const { rows, total, notes } = makeLedger({
      t: 0,
      baseline: false,
      meminfo,
      processes: [],
      processesAgeMs: 0,
      run: [],
    });
    expect(notes).toEqual([]);
    expect(rows.reduce((sum, { bytes = 0 }) => sum + bytes, 0)).toBe(total);
    expect(total).toBe(meminfo["MemTotal"]);
    const sumOf = (ids: RegExp) => rows.reduce((sum, { id, bytes = 0 }) => sum + (ids.test(id) ? bytes : 0), 0);
    // smem's noncache kernel memory: everything of the kernel and of NvMap but SReclaimable, which it calls cache.
    expect(sumOf(/^(kernel|gpu)\./) - sumOf(/slabReclaimable/)).toBe(smemWhole(meminfo)?.kernel.noncache);
    expect(sumOf(/unattributed/) / KIB).toBe(unattributed);
  });
});
