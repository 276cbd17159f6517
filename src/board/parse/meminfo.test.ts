import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Meminfo } from "../moments/model.ts";
import { parseMeminfo } from "./meminfo.ts";

const SAMPLE = `MemTotal:        4059240 kB
MemFree:          313692 kB
Active(anon):    2153756 kB
NvMapMemUsed:     244748 kB
HugePages_Total:       3
Hugepagesize:       2048 kB
`;

describe("/proc/meminfo", () => {
  it("is read in bytes, and huge pages as counts", () => {
    expect(parseMeminfo(SAMPLE)).toEqual({
      MemTotal: 4059240 * 1024,
      MemFree: 313692 * 1024,
      "Active(anon)": 2153756 * 1024,
      NvMapMemUsed: 244748 * 1024,
      HugePages_Total: 3,
      Hugepagesize: 2048 * 1024,
    });
  });

  it("never gives a figure that was cut off, wherever it ends", () => {
    const whole = parseMeminfo(SAMPLE);
    for (let length = 0; length < SAMPLE.length; length++) {
      const read = parseMeminfo(SAMPLE.slice(0, length));
      for (const [name, bytes] of Object.entries(read)) if (name !== "HugePages_Total") expect(bytes).toBe(whole[name]);
    }
  });

  it.each(["", "MemTotal: many kB", "MemTotal: -5 kB", "MemTotal: 5 MB", "\0\u0001", "MemFree:  12"])(
    "has no figures: %j",
    (text) => {
      expect(parseMeminfo(text)).toEqual({});
    },
  );

  it("of another line end is the same", () => {
    expect(parseMeminfo(SAMPLE.replaceAll("\n", "\r\n"))).toEqual(parseMeminfo(SAMPLE));
  });
});

/** What `smem -w` makes of it, kB: used, cache, noncache of each area. */
function smemAreas(figures: Meminfo): Readonly<Record<string, readonly number[]>> {
  const kb = (name: string) => (figures[name] ?? Number.NaN) / 1024;
  const userspace = kb("AnonPages") + kb("Mapped");
  const kernelCache = kb("Buffers") + kb("SReclaimable") + kb("Cached") - kb("Mapped");
  const kernel = kb("MemTotal") - kb("MemFree") - userspace;
  return {
    "kernel dynamic memory": [kernel, kernelCache, kernel - kernelCache],
    "userspace memory": [userspace, kb("Mapped"), kb("AnonPages")],
    "free memory": [kb("MemFree"), kb("MemFree"), 0],
  };
}

const fixtures = fileURLToPath(new URL("../../../../shared/fixtures/", import.meta.url));
const boards = existsSync(fixtures) ? readdirSync(`${fixtures}meminfo`) : [];

describe.runIf(boards.length > 0)("/proc/meminfo of real boards", () => {
  it.each(boards)("%s: every row is read", (name) => {
    const text = readFileSync(`${fixtures}meminfo/${name}`, "utf8");
    expect(Object.keys(parseMeminfo(text))).toEqual(
      text
        .trimEnd()
        .split("\n")
        .map((line) => line.split(":")[0]),
    );
  });

  it.each(boards)("%s: the split that smem -w prints comes out to the kB", (name) => {
    const expected = JSON.parse(readFileSync(`${fixtures}smem/expected_w_kB.json`, "utf8"));
    const figures = parseMeminfo(readFileSync(`${fixtures}meminfo/${name}`, "utf8"));
    expect(expected[name.replace(/\.txt$/, "")]).toMatchObject(smemAreas(figures));
  });
});

const hasSmem = spawnSync("smem", ["--help"]).status === 0;

describe.runIf(hasSmem)("what Debian's smem prints", () => {
  const samples = [
    SAMPLE.replace(
      "Active",
      "Buffers: 57932 kB\nCached: 362944 kB\nSReclaimable: 87524 kB\nAnonPages: 2678648 kB\nMapped: 163736 kB\nSwapCached: 0 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\nActive",
    ),
    existsSync("/proc/meminfo") ? readFileSync("/proc/meminfo", "utf8") : undefined,
    ...boards.map((name) => readFileSync(`${fixtures}meminfo/${name}`, "utf8")),
  ].filter((text) => text !== undefined);

  it.each(samples)("of sample %# is what comes out here, to the kB", (text) => {
    const folder = mkdtempSync(join(tmpdir(), "jmp-smem-"));
    try {
      mkdirSync(join(folder, "proc"));
      writeFileSync(join(folder, "proc", "meminfo"), text);
      cpSync("/proc/version", join(folder, "proc", "version"));
      const printed = execFileSync("smem", ["-S", folder, "-w", "-H"], { encoding: "utf8" });
      const areas = Object.fromEntries(
        [...printed.matchAll(/^(.*?)\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)\s*$/gm)].map(([, area = "", ...figures]) => [
          area,
          figures.map(Number),
        ]),
      );
      expect(areas).toMatchObject(smemAreas(parseMeminfo(text)));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
