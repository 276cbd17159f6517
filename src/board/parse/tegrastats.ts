/** One line of tegrastats, of any release. Every field but RAM is optional. Sizes are bytes, power milliwatts. */
import { defined } from "../../profile/defined.ts";
import { sizeOf } from "./units.ts";

export interface Tegrastats {
  readonly ramUsed: number;
  readonly ramTotal: number;
  /** Largest free blocks: how many, and how large each. */
  readonly lfb?: { readonly count: number; readonly bytes: number };
  readonly swap?: { readonly used: number; readonly total: number; readonly cached: number };
  readonly iram?: { readonly used: number; readonly total: number };
  /** In the order of the cores; `off` where a core is switched off. Load 0 to 1. Empty where they cannot be told. */
  readonly cpus: readonly ("off" | { readonly load: number; readonly mhz?: number })[];
  /** Load of the GPU, 0 to 1; absent where the line has only its frequencies (Thor). */
  readonly gpu?: { readonly load?: number; readonly mhz: readonly number[] };
  readonly emc?: { readonly load: number; readonly mhz?: number };
  /** Degrees Celsius by the sensor's name; a sensor that is off is left out. */
  readonly temperatures: Readonly<Record<string, number>>;
  readonly power: readonly { readonly rail: string; readonly now: number; readonly average: number }[];
}

/** The longest real line is 700 characters. */
const LINE_LIMIT = 4_096;

const RAM = /(?<![A-Za-z])RAM (\d{1,9})\/(\d{1,9})([kMG])B(?: ?\(lfb (\d{1,9})x(\d{1,9})([kMG])B\))?/g;
const SWAP = /(?<!\w)SWAP (\d{1,9})\/(\d{1,9})([kMG])B ?\(cached (\d{1,9})([kMG])B\)/;
const IRAM = /(?<!\w)IRAM (\d{1,9})\/(\d{1,9})([kMG])B/;
/** JetPack 3 writes `cpu`, and one frequency for all cores after the bracket. */
const CPUS = /(?<!\w)(?:CPU|cpu) \[([^\]]*)\](?:@(\d{1,9})(?!\d))?/;
const CPU = /^(?:(off)|(\d{1,9})%(?:@(\d{1,9}))?)$/;
/** `0%`, `0%@76`, `0%@[114]`, `12%@[1300,1300]`, `@[314,314,314]`. */
const GPU = /(?<!\w)GR3D(?:_FREQ)? (?:(\d{1,9})%)?(?:@(?:\[([\d,]+)\]|(\d{1,9})(?!\d)))?/;
const EMC = /(?<!\w)EMC(?:_FREQ)? (\d{1,9})%(?:@(\d{1,9})(?!\d))?/;
const TEMPERATURE = /(?<=\s)([\w.-]+)@(-?\d{1,9}(?:[.,]\d{1,9})?)C(?:\/-?\d+(?:[.,]\d+)?C)?(?=\s|$)/g;
const POWER = /(?<=\s)(\w+) (\d{1,9})(?:mW)?\/(\d{1,9})(?:mW)?(?:\/\d+(?:mW)?)?(?=\s|$)/g;

/** What a sensor says that is switched off. */
const SENSOR_OFF = -256;

/**
 * Fields are found by their names: which there are and in what order differs between releases and with root.
 * Where two lines ran into each other, the last one whose RAM is whole is read.
 * @returns undefined for what is no such line, or not enough of one
 */
export function parseTegrastats(line: string): Tegrastats | undefined {
  const bounded = line.slice(0, LINE_LIMIT);
  const ram = [...bounded.matchAll(RAM)].at(-1);
  if (ram === undefined) return undefined;
  const [head, used = "", total = "", unit, blocks, blockSize, blockUnit] = ram;
  const text = withoutNextLine(bounded.slice(ram.index), head.length);
  const swap = SWAP.exec(text);
  const iram = IRAM.exec(text);
  const gpu = gpuOf(text);
  const emc = EMC.exec(text);
  return {
    ramUsed: sizeOf(used, unit),
    ramTotal: sizeOf(total, unit),
    ...(blocks !== undefined && blockSize !== undefined
      ? { lfb: { count: Number(blocks), bytes: sizeOf(blockSize, blockUnit) } }
      : {}),
    ...(swap === null ? {} : { swap: swapOf(swap) }),
    ...(iram === null ? {} : { iram: { used: sizeOf(iram[1] ?? "", iram[3]), total: sizeOf(iram[2] ?? "", iram[3]) } }),
    cpus: cpusOf(text),
    ...defined({ gpu }),
    ...(emc === null
      ? {}
      : {
          emc: { load: Number(emc[1]) / 100, ...defined({ mhz: emc[2] === undefined ? undefined : Number(emc[2]) }) },
        }),
    temperatures: temperaturesOf(text),
    power: [...text.matchAll(POWER)].map(([, rail = "", now, average]) => ({
      rail,
      now: Number(now),
      average: Number(average),
    })),
  };
}

/** A line that began inside this one, and was itself cut off before its RAM was whole, is no part of it. */
function withoutNextLine(text: string, from: number): string {
  const next = text.slice(from).search(/(?<![A-Za-z])RAM /);
  return next < 0 ? text : text.slice(0, from + next);
}

function swapOf([, used = "", total = "", unit, cached = "", cachedUnit]: RegExpExecArray): NonNullable<
  Tegrastats["swap"]
> {
  return { used: sizeOf(used, unit), total: sizeOf(total, unit), cached: sizeOf(cached, cachedUnit) };
}

function cpusOf(text: string): Tegrastats["cpus"] {
  const [, items = "", shared] = CPUS.exec(text) ?? [];
  const cpus = items.split(",").flatMap((item): Tegrastats["cpus"] => {
    const [match, off, load, own] = CPU.exec(item.trim()) ?? [];
    if (match === undefined) return [];
    const mhz = own ?? shared;
    return [
      off !== undefined
        ? "off"
        : { load: Number(load) / 100, ...defined({ mhz: mhz === undefined ? undefined : Number(mhz) }) },
    ];
  });
  // Which core is which is lost with any of them.
  return cpus.length === items.split(",").length ? cpus : [];
}

function gpuOf(text: string): Tegrastats["gpu"] {
  const [, load, several, one] = GPU.exec(text) ?? [];
  const mhz =
    (several ?? one)
      ?.split(",")
      .filter((item) => /^\d{1,9}$/.test(item))
      .map(Number) ?? [];
  if (load === undefined && mhz.length === 0) return undefined;
  return { ...defined({ load: load === undefined ? undefined : Number(load) / 100 }), mhz };
}

function temperaturesOf(text: string): Tegrastats["temperatures"] {
  return Object.fromEntries(
    [...text.matchAll(TEMPERATURE)]
      .map(([, sensor = "", degrees = ""]) => [sensor, Number(degrees.replace(",", "."))] as const)
      .filter(([, degrees]) => degrees !== SENSOR_OFF),
  );
}
