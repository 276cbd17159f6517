import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseTegrastats } from "./tegrastats.ts";

const MIB = 1024 * 1024;

const NANO =
  "RAM 2210/3964MB (lfb 12x4MB) SWAP 310/1982MB (cached 9MB) IRAM 0/252kB(lfb 252kB) " +
  "CPU [51%@1479,off,3%@1479,100%@1479] EMC_FREQ 12%@1600 GR3D_FREQ 99%@921 APE 25 " +
  "PLL@37C CPU@40.5C PMIC@50C GPU@41C AO@45C thermal@40.25C POM_5V_IN 4210/3990 POM_5V_GPU 910/700 POM_5V_CPU 1204/1100";

describe("a line of tegrastats", () => {
  it("is read with all fields that root is shown on a Nano", () => {
    expect(parseTegrastats(NANO)).toEqual({
      ramUsed: 2210 * MIB,
      ramTotal: 3964 * MIB,
      lfb: { count: 12, bytes: 4 * MIB },
      swap: { used: 310 * MIB, total: 1982 * MIB, cached: 9 * MIB },
      iram: { used: 0, total: 252 * 1024 },
      cpus: [{ load: 0.51, mhz: 1479 }, "off", { load: 0.03, mhz: 1479 }, { load: 1, mhz: 1479 }],
      gpu: { load: 0.99, mhz: [921] },
      emc: { load: 0.12, mhz: 1600 },
      temperatures: { PLL: 37, CPU: 40.5, PMIC: 50, GPU: 41, AO: 45, thermal: 40.25 },
      power: [
        { rail: "POM_5V_IN", now: 4210, average: 3990 },
        { rail: "POM_5V_GPU", now: 910, average: 700 },
        { rail: "POM_5V_CPU", now: 1204, average: 1100 },
      ],
    });
  });

  it("has only what it has: without root, without swap", () => {
    const read = parseTegrastats("RAM 613/3964MB (lfb 634x4MB) CPU [2%@102,1%@102] EMC_FREQ 0% GR3D_FREQ 0%");
    expect(read).toEqual({
      ramUsed: 613 * MIB,
      ramTotal: 3964 * MIB,
      lfb: { count: 634, bytes: 4 * MIB },
      cpus: [
        { load: 0.02, mhz: 102 },
        { load: 0.01, mhz: 102 },
      ],
      gpu: { load: 0, mhz: [] },
      emc: { load: 0 },
      temperatures: {},
      power: [],
    });
  });

  it("of JetPack 3 has one frequency for all cores, and other names", () => {
    const read = parseTegrastats(
      "RAM 2501/3983MB (lfb 3x512kB) cpu [4%,off,9%,0%]@1734 EMC 7%@1600 APE 25 GR3D 31%@998",
    );
    expect(read?.lfb).toEqual({ count: 3, bytes: 512 * 1024 });
    expect(read?.cpus).toEqual([{ load: 0.04, mhz: 1734 }, "off", { load: 0.09, mhz: 1734 }, { load: 0, mhz: 1734 }]);
    expect(read?.emc).toEqual({ load: 0.07, mhz: 1600 });
    expect(read?.gpu).toEqual({ load: 0.31, mhz: [998] });
  });

  it("of JetPack 5 has a date before it, units on the power, and sensors that are off", () => {
    const read = parseTegrastats(
      "05-11-2025 08:15:09 RAM 5012/62795MB (lfb 900x4MB) SWAP 1/31398MB (cached 0MB) CPU [1%@729,0%@729] " +
        "EMC_FREQ 1%@2133 GR3D_FREQ 44%@[1300,1300] GR3D2_FREQ 7%@0 VIC_FREQ 729 APE 174 CV0@-256C CPU@42.593C " +
        "tj@-0.5C VDD_GPU_SOC 2399mW/2100mW NC 0mW/0mW VIN_SYS_5V0 4032mW/4001mW NC 3mW/2mW",
    );
    expect(read?.gpu).toEqual({ load: 0.44, mhz: [1300, 1300] });
    expect(read?.temperatures).toEqual({ CPU: 42.593, tj: -0.5 });
    expect(read?.power).toEqual([
      { rail: "VDD_GPU_SOC", now: 2399, average: 2100 },
      { rail: "NC", now: 0, average: 0 },
      { rail: "VIN_SYS_5V0", now: 4032, average: 4001 },
      { rail: "NC", now: 3, average: 2 },
    ]);
  });

  it("of JetPack 7 has frequencies without a load, two temperatures a sensor and three figures a rail", () => {
    const read = parseTegrastats(
      "04-21-2026 15:50:52 RAM 90000/125772MB (lfb 34x4MB) CPU [0%@972,8%@972] EMC_FREQ 3%@2750 " +
        "GR3D_FREQ @[314,315,316] NVENC0_FREQ @314 VIC off APE 300 cpu@52.9C/53.1C tj@38.875C VDD_GPU 1962mW/1900mW/2400mW VIN 1mW/2mW",
    );
    expect(read?.gpu).toEqual({ mhz: [314, 315, 316] });
    expect(read?.temperatures).toEqual({ cpu: 52.9, tj: 38.875 });
    expect(read?.power).toEqual([
      { rail: "VDD_GPU", now: 1962, average: 1900 },
      { rail: "VIN", now: 1, average: 2 },
    ]);
  });

  it("tells rails from sensors of the same name, as on an AGX Xavier", () => {
    const read = parseTegrastats("RAM 1/2MB (lfb 1x1MB) CPU [0%@1190] GPU@54.5C CPU@49C GPU 18401/18525 CPU 2301/2330");
    expect(read?.temperatures).toEqual({ GPU: 54.5, CPU: 49 });
    expect(read?.power.map(({ rail }) => rail)).toEqual(["GPU", "CPU"]);
  });

  it("of a locale with a decimal comma has the same temperatures", () => {
    expect(parseTegrastats("RAM 1/2MB (lfb 1x4MB) CPU@40,5C GPU@41C")?.temperatures).toEqual({ CPU: 40.5, GPU: 41 });
  });

  it("may have fields that nobody knows", () => {
    const read = parseTegrastats("XRAM 7/8MB RAM 613/3964MB (lfb 6x4MB) NEW 5%@[2] FOO_BAR off GR3D_FREQ 5% ~~ DLA@x");
    expect(read).toMatchObject({ ramUsed: 613 * MIB, gpu: { load: 0.05 } });
  });

  it("is read as far as it goes where it is cut off at any byte", () => {
    const whole = parseTegrastats(NANO);
    for (let length = 0; length < NANO.length; length++) {
      const read = parseTegrastats(NANO.slice(0, length));
      if (read === undefined) {
        expect(length).toBeLessThan("RAM 2210/3964MB".length);
        continue;
      }
      expect(read.ramUsed).toBe(whole?.ramUsed);
      if (read.lfb !== undefined) expect(read.lfb).toEqual(whole?.lfb);
      if (read.swap !== undefined) expect(read.swap).toEqual(whole?.swap);
      expect([0, 4]).toContain(read.cpus.length);
      expect(whole?.temperatures).toMatchObject(read.temperatures);
    }
  });

  it("that another line ran into is passed over for the whole one", () => {
    const broken = `RAM 613/3964MB (lfb 634x4MB) SWAP 0/19${NANO.replace("2210/", "2300/")}`;
    expect(parseTegrastats(broken)).toMatchObject({ ramUsed: 2300 * MIB, swap: { total: 1982 * MIB } });
    expect(parseTegrastats(broken)?.cpus).toHaveLength(4);
  });

  it("is kept where only the beginning of the next one ran into it", () => {
    const read = parseTegrastats("RAM 613/3964MB (lfb 634x4MB) SWAP 5/1982MB (cached 0MB) CPU [2%@102,RAM 61");
    expect(read).toMatchObject({ ramUsed: 613 * MIB, swap: { used: 5 * MIB }, cpus: [] });
  });

  it("gives no cores where one of them cannot be read, as their order would be lost", () => {
    expect(parseTegrastats("RAM 1/2MB CPU [2%@102,??,3%@102]")?.cpus).toEqual([]);
  });

  it.each(["", "Tue Jan 26 18:22:31 UTC 2021", "IRAM 0/252kB(lfb 252kB)", "RAM 1/", "\0\0", "RAM x/yMB"])(
    "is none: %j",
    (line) => {
      expect(parseTegrastats(line)).toBeUndefined();
    },
  );

  it("cannot set anything but a figure", () => {
    const read = parseTegrastats("RAM 1/2MB __proto__@40C constructor@41C");
    expect(Object.keys(read?.temperatures ?? {})).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(read?.temperatures)).toBe(Object.prototype);
  });
});

const fixtures = fileURLToPath(new URL("../../../../shared/fixtures/tegrastats/", import.meta.url));

describe.runIf(existsSync(fixtures))("lines of real boards", () => {
  const samples = existsSync(fixtures)
    ? readFileSync(`${fixtures}samples.jsonl`, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { label: string; line: string })
    : [];

  it.each(samples.map(({ label, line }) => [label, line]))("%s: every field is read", (_, line) => {
    const read = parseTegrastats(line);
    if (read === undefined) throw new Error("not read");
    const count = (pattern: RegExp) => [...line.matchAll(pattern)].length;
    const [, used, total] = /(?:^| )RAM (\d+)\/(\d+)MB/.exec(line) ?? [];
    expect([read.ramUsed, read.ramTotal]).toEqual([Number(used) * MIB, Number(total) * MIB]);
    expect(read.lfb?.count).toBe(Number(/lfb (\d+)x/.exec(line)?.[1]));
    expect(read.swap !== undefined).toBe(line.includes("SWAP"));
    expect(read.iram !== undefined).toBe(line.includes("IRAM"));
    expect(read.cpus).toHaveLength((/cpu \[([^\]]*)/i.exec(line)?.[1] ?? "").split(",").length);
    expect(read.gpu !== undefined).toBe(/GR3D(_FREQ)? /.test(line));
    expect(read.emc !== undefined).toBe(/EMC/.test(line));
    expect(Object.keys(read.temperatures)).toHaveLength(count(/@-?[\d.]+C/g) - count(/@-256C/g));
    expect(read.power).toHaveLength(count(/ \d+(mW)?\/\d+(mW)?(?= |$)/g));
  });

  it("a log of 433 lines: all but the date at its beginning", () => {
    const lines = readFileSync(`${fixtures}tx2_jp4_sample_log.txt`, "utf8").trimEnd().split("\n");
    const read = lines.map(parseTegrastats);
    expect(lines).toHaveLength(433);
    expect(read.filter((one) => one === undefined)).toHaveLength(1);
    expect(read[0]).toBeUndefined();
    for (const one of read.slice(1)) {
      expect(one).toMatchObject({ ramTotal: 7859 * MIB, swap: { total: 3929 * MIB } });
      expect(one?.cpus).toHaveLength(6);
      expect(one?.power).toHaveLength(6);
      expect(Object.keys(one?.temperatures ?? {})).toHaveLength(8);
    }
  });
});
