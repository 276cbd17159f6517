import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { largestFreeBlock } from "./buddyinfo.ts";
import { parseCudaVersion } from "./cudaVersion.ts";
import { deviceTreeStrings } from "./deviceTree.ts";
import { parseOsRelease } from "./osRelease.ts";
import { readProcess } from "./processTuple.ts";
import { parseSwaps } from "./swaps.ts";
import { parseTegraRelease } from "./tegraRelease.ts";
import { isOlder, upstreamVersion } from "./version.ts";
import { parseZramStat } from "./zram.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

describe("a zram device", () => {
  it("tells what lies in it and what it takes", () => {
    expect(parseZramStat(" 41943040 12345678 13631488        0 13631488      12        0        3\n")).toEqual({
      stored: 41943040,
      compressed: 12345678,
      used: 13631488,
    });
  });
  it.each(["", "1 2", "a b c"])("that cannot be read is none: %j", (text) => {
    expect(parseZramStat(text)).toBeUndefined();
  });
});

describe("/proc/swaps", () => {
  it("tells zram from files and partitions", () => {
    const text =
      "Filename\t\t\t\tType\t\tSize\tUsed\tPriority\n/dev/zram0                              partition\t507404\t48000\t5\n" +
      "/mnt/my\\040swap                         file\t\t4194300\t0\t-2\n/dev/nvme0n1p3 partition 1000 0 -3\n";
    expect(parseSwaps(text)).toEqual([
      { path: "/dev/zram0", kind: "zram", size: 507404 * KIB, used: 48000 * KIB, priority: 5 },
      { path: "/mnt/my swap", kind: "file", size: 4194300 * KIB, used: 0, priority: -2 },
      { path: "/dev/nvme0n1p3", kind: "partition", size: 1000 * KIB, used: 0, priority: -3 },
    ]);
  });
  it("may be empty", () => {
    expect(parseSwaps("Filename Type Size Used Priority\n")).toEqual([]);
  });
});

describe("/proc/buddyinfo", () => {
  it("gives the largest free blocks over all zones", () => {
    const text =
      "Node 0, zone      DMA   1103    401     92      8      1      0      0      0      2      0      0 \n" +
      "Node 0, zone   Normal    883    210     17      3      0      0      1      1      1      0      0 \n";
    expect(largestFreeBlock(text)).toEqual({ count: 3, bytes: MIB });
  });
  it.each(["", "Node 0, zone Normal 0 0 0", "nonsense"])("has none: %j", (text) => {
    expect(largestFreeBlock(text)).toBeUndefined();
  });
});

it("strings of the device tree end in NUL", () => {
  expect(deviceTreeStrings("nvidia,p3449-0000-b00+p3448-0000-b00\0nvidia,jetson-nano\0nvidia,tegra210\0")).toEqual([
    "nvidia,p3449-0000-b00+p3448-0000-b00",
    "nvidia,jetson-nano",
    "nvidia,tegra210",
  ]);
});

describe("the L4T release", () => {
  it.each([
    ["# R32 (release), REVISION: 7.1, GCID: 29818004, BOARD: t210ref, EABI: aarch64", "32.7.1"],
    ["# R28 (release), REVISION: 2.1, GCID: 11272647, BOARD: t186ref", "28.2.1"],
    ["# R38 (release), REVISION: 4.0, GCID: 1, BOARD: generic", "38.4.0"],
  ])("of %j is %s", (text, release) => {
    expect(parseTegraRelease(text)).toBe(release);
  });
  it.each(["", "# R32 (rel", "Debian 12"])("is not in %j", (text) => {
    expect(parseTegraRelease(text)).toBeUndefined();
  });
});

describe("versions", () => {
  it.each([
    ["1:3.13.0-2ubuntu2.3", "3.13.0"],
    ["32.7.1-20220219090344", "32.7.1"],
    ["1.5", "1.5"],
  ])("the upstream part of %s is %s", (debian, upstream) => {
    expect(upstreamVersion(debian)).toBe(upstream);
  });
  it("compare by number", () => {
    expect(isOlder("3.9.0", [3, 13])).toBe(true);
    expect(isOlder("3.13.0", [3, 13])).toBe(false);
    expect(isOlder("10.2.300", [11, 7])).toBe(true);
    expect(isOlder("new", [1, 0])).toBeUndefined();
  });
});

it("/etc/os-release, with and without quotes", () => {
  const text = 'PRETTY_NAME="Ubuntu 18.04.6 LTS"\nVERSION_ID="18.04"\nID=ubuntu\nID_LIKE=debian\n';
  expect(parseOsRelease(text)).toEqual({
    id: "ubuntu",
    like: ["debian"],
    version: "18.04",
    name: "Ubuntu 18.04.6 LTS",
  });
  expect(parseOsRelease("")).toEqual({ like: [] });
});

describe("CUDA's version", () => {
  it.each([
    ["CUDA Version 10.2.300\n", "10.2.300"],
    ['{\n "cuda" : {\n "name" : "CUDA SDK",\n "version" : "11.4.19"\n },\n "cuda_cccl": {"version": "9"} }', "11.4.19"],
  ])("of %j is %s", (text, version) => {
    expect(parseCudaVersion(text)).toBe(version);
  });
  it.each(["", "{", '{"cuda_nvcc":{"version":"12.1"}}'])("is not in %j", (text) => {
    expect(parseCudaVersion(text)).toBeUndefined();
  });
});

describe("a process as the helper writes it", () => {
  it("leaves out what is null", () => {
    expect(readProcess([2831, "gnome-shell", 1000, 212e6, 18e7, null, 0, 0, null, null])).toEqual({
      pid: 2831,
      name: "gnome-shell",
      uid: 1000,
      rss: 212e6,
      anon: 18e7,
      shmem: 0,
      swap: 0,
    });
  });
  it.each([null, [], [1, "x"], [1, "x", 0, -5, null, null, null, null, null, null], { pid: 1 }])(
    "is none: %j",
    (value) => {
      expect(readProcess(value)).toBeUndefined();
    },
  );
});

const release = fileURLToPath(new URL("../../../../shared/fixtures/board/nv_tegra_release.txt", import.meta.url));
it.runIf(existsSync(release))("the release of a real board", () => {
  expect(parseTegraRelease(readFileSync(release, "utf8"))).toBe("36.4.7");
});
