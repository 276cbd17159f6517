/** The moments of a run or of a board that is watched: moments.jsonl, line by line. */

import { defined } from "../../profile/defined.ts";
import { present } from "../../profile/files/jsonRecords.ts";
import { groupTotals, makeLedger } from "../ledger/ledger.ts";
import type { GroupTotals } from "../ledger/model.ts";
import { hasNoGpuMemory, parseComputeApps } from "../parse/computeApps.ts";
import { type NvmapClients, parseNvmapClients } from "../parse/nvmap.ts";
import type { ServersSaid } from "../parse/serversSaid.ts";
import { parseTegrastats } from "../parse/tegrastats.ts";
import type { Meminfo, Moment } from "./model.ts";
import { createPeak, type PeakKind } from "./peak.ts";
import { createProcessHistory } from "./processHistory.ts";
import { decodeLine, type MomentRecord, type MomentsHeader } from "./record.ts";
import { thinned } from "./thin.ts";

/** More than a day at one a second; a file that has more is not the recorder's, and is read up to here. */
const MOST_MOMENTS = 100_000;

/** How many times the usual distance of two moments is a hole. */
const HOLE = 4;

export interface MomentTable {
  /**
   * The next line of the file, without its end.
   * @throws UserError `schema-too-new`, `run-damaged` at a header that is not of a format we know
   */
  add(line: string): void;
  readonly size: number;
  /** Lines that were passed over. */
  readonly unreadable: number;
  /** @param index from 0 to below `size` */
  moment(index: number): Moment;
  /** The index of the moment before the run. */
  readonly baseline: number | undefined;
  /** The index of the moment at which the run held the most, or nearest to it that can be told; see `peakKind`. */
  peak(): number | undefined;
  peakKind(): PeakKind | undefined;
  /** The index of the moment of the run with the least memory available. */
  leastAvailable(): number | undefined;
  /** The most that PyTorch's CUDA allocator had reserved at any moment at which it was read, bytes. */
  readonly mostReserved: number | undefined;
  /** The index of the moment nearest to a time. */
  at(t: number): number | undefined;
  header(): { readonly unixMs: number; readonly intervalMs: number; readonly simulated?: string } | undefined;
  /**
   * Points that keep the extremes of every figure but the groups, and both sides of holes in time.
   * @param maxPoints no more than these; at least 16
   */
  series(maxPoints: number): readonly SeriesPoint[];
}

/** A moment as a chart shows it. Sizes are bytes. */
export interface SeriesPoint {
  /** Its place in the table. */
  readonly index: number;
  readonly t: number;
  readonly groups: GroupTotals;
  readonly swapUsed?: number;
  /** 0 to 1. */
  readonly gpuLoad?: number;
  /** The RSS of the run's processes, added up: pages that they share are counted more than once. */
  readonly runRss?: number;
  readonly memAvailable?: number;
  readonly at?: { readonly path: string; readonly line: number };
}

/** A table of NvMap, read when it is first asked for. Many moments share one. */
interface NvmapText {
  readonly text: string;
  clients?: NvmapClients | undefined;
}

interface Stored {
  readonly record: MomentRecord;
  readonly t: number;
  readonly processesT: number;
  readonly names: readonly string[];
  readonly nvmap: NvmapText | undefined;
  readonly gpuApps: string | undefined;
  readonly servers: ServersSaid | undefined;
  readonly memAvailable: number | undefined;
  readonly swapUsed: number | undefined;
  readonly runRss: number | undefined;
}

/** @param file the path shown in errors */
export function createMomentTable(file: string): MomentTable {
  const stored: Stored[] = [];
  const processes = createProcessHistory();
  const points = new Map<number, SeriesPoint>();
  let unreadable = 0;
  let first: MomentsHeader | undefined;
  let header: MomentsHeader | undefined;
  /** Added to a record's times. */
  let offset = 0;
  let processesT: number | undefined;
  let nvmap: NvmapText | undefined;
  let gpuApps: string | undefined;
  let servers: ServersSaid | undefined;
  /** Of the board, and so of the moments before it was asked too. */
  let noGpuMemory = false;
  let baseline: number | undefined;
  let mostReserved: number | undefined;
  const peak = createPeak();
  /** The first moments after times of which nothing is known. */
  const afterHoles: number[] = [];

  function begin(next: MomentsHeader): void {
    first ??= next;
    if (header !== undefined && next.unixMs !== header.unixMs) {
      // Another recorder: what the one before it knew holds no longer.
      processes.restart();
      processesT = undefined;
      nvmap = undefined;
      gpuApps = undefined;
      servers = undefined;
    }
    offset = offsetOf(first, next, stored.at(-1)?.t);
    header = next;
  }

  function keep(record: MomentRecord, names: readonly string[]): void {
    const t = record.t + offset;
    if (record.processesT !== undefined) processesT = record.processesT + offset;
    if (record.nvmap !== undefined) nvmap = record.nvmap === "" ? undefined : { text: record.nvmap };
    if (record.gpuApps !== undefined) gpuApps = record.gpuApps || undefined;
    learn(record);
    processes.add(record.changed, record.gone);
    const memAvailable = figure(record, names, "MemAvailable");
    const runRss = rssOf(record.run);
    const index = stored.length;
    if (isHole(t)) afterHoles.push(index);
    stored.push({
      // The processes are kept once, in the history.
      record: { ...record, changed: [], gone: [] },
      t,
      processesT: processesT ?? t,
      names,
      nvmap,
      gpuApps,
      servers,
      memAvailable,
      swapUsed: swapUsedOf(record, names),
      runRss,
    });
    if (record.baseline && baseline === undefined) {
      baseline = index;
      points.clear();
    }
    if (record.run.length > 0) {
      peak.add(index, {
        rss: runRss,
        nvmap: nvmapOf(record, names),
        memAvailable,
        sharedGpu: noGpuMemory || sharesRam(record),
      });
    }
  }

  function learn({ gpuMemory, cuda, servers: said }: MomentRecord): void {
    servers = said ?? servers;
    if (cuda !== undefined) mostReserved = Math.max(mostReserved ?? 0, cuda.reserved);
    if (noGpuMemory || gpuMemory === undefined || !hasNoGpuMemory(gpuMemory)) return;
    noGpuMemory = true;
    points.clear();
  }

  /** All of NvMap in use, bytes. */
  function nvmapOf(record: MomentRecord, names: readonly string[]): number | undefined {
    return figure(record, names, "NvMapMemUsed") ?? (nvmap && clientsOf(nvmap)?.total);
  }

  /** Whether much more time than usual has passed since the moment before. */
  function isHole(t: number): boolean {
    const [before, last] = stored.slice(-2);
    if (before === undefined || last === undefined) return false;
    return t - last.t > HOLE * Math.max(header?.intervalMs ?? 0, last.t - before.t);
  }

  function rssOf(run: readonly number[]): number | undefined {
    const running = run.flatMap((pid) => processes.now(pid)?.rss ?? []);
    return running.length === 0 ? undefined : running.reduce((sum, rss) => sum + rss, 0);
  }

  function get(index: number): Stored {
    const entry = stored[index];
    if (entry === undefined) throw new RangeError(`There is no moment ${index} among ${stored.length}.`);
    return entry;
  }

  function moment(index: number): Moment {
    const { record, t, processesT: readT, names, nvmap: table, gpuApps: list, servers: said } = get(index);
    const { gpuLoad, zram, pagesets, cuda, at, container } = record;
    return present({
      t,
      baseline: record.baseline,
      meminfo: meminfoOf(record, names),
      processes: processes.at(index),
      processesAgeMs: Math.max(0, t - readT),
      run: record.run,
      nvmap: table && clientsOf(table),
      gpuApps: list === undefined ? undefined : parseComputeApps(list),
      noGpuMemory: noGpuMemory || undefined,
      servers: said,
      tegrastats: record.tegrastats === undefined ? undefined : parseTegrastats(record.tegrastats),
      gpuLoad,
      zram: zram && { used: zram[0], stored: zram[1] },
      pagesets,
      cuda,
      at: at && { path: at[0], line: at[1] },
      container: container && present({ used: container[0], limit: container[1] ?? undefined }),
    });
  }

  function point(index: number, before: () => Moment | undefined): SeriesPoint {
    const known = points.get(index);
    if (known !== undefined) return known;
    const { t, record, swapUsed, runRss, memAvailable } = get(index);
    const { gpuLoad, at } = record;
    const made: SeriesPoint = {
      index,
      t,
      groups: groupTotals(makeLedger(moment(index), before())),
      ...defined({
        swapUsed,
        gpuLoad,
        runRss,
        memAvailable,
        at: at === undefined ? undefined : { path: at[0], line: at[1] },
      }),
    };
    points.set(index, made);
    return made;
  }

  return {
    add(line) {
      const decoded = decodeLine(line, file);
      if (decoded?.kind === "other") return;
      if (decoded?.kind === "header") begin(decoded.header);
      else if (decoded === undefined || header === undefined || stored.length >= MOST_MOMENTS) unreadable += 1;
      else keep(decoded.record, header.meminfo);
    },
    get size() {
      return stored.length;
    },
    get unreadable() {
      return unreadable;
    },
    get baseline() {
      return baseline;
    },
    moment,
    peak: () => peak.found()?.moment,
    peakKind: () => peak.found()?.kind,
    leastAvailable: () => peak.leastAvailable(),
    get mostReserved() {
      return mostReserved;
    },
    at(t) {
      let nearest: number | undefined;
      for (const [index, entry] of stored.entries()) {
        if (nearest === undefined || Math.abs(entry.t - t) < Math.abs(get(nearest).t - t)) nearest = index;
      }
      return nearest;
    },
    header() {
      if (first === undefined || header === undefined) return undefined;
      const { simulated } = header;
      return {
        unixMs: first.unixMs ?? 0,
        intervalMs: header.intervalMs ?? 1000,
        ...defined({ simulated }),
      };
    },
    series(maxPoints) {
      const figures = [
        (index: number) => get(index).memAvailable,
        (index: number) => get(index).runRss,
        (index: number) => get(index).swapUsed,
        (index: number) => get(index).record.gpuLoad,
      ];
      const holes = afterHoles.slice(-Math.floor(maxPoints / 8)).flatMap((after) => [after - 1, after]);
      const always = [baseline, peak.found()?.moment, ...holes].filter((index) => index !== undefined);
      let before: Moment | undefined;
      const beforeRun = () => {
        if (before === undefined && baseline !== undefined) before = moment(baseline);
        return before;
      };
      return thinned(stored.length, maxPoints, figures, always).map((index) => point(index, beforeRun));
    },
  };
}

/**
 * A header of the same start only names other fields. Another start is another recorder's, after a lost connection: its
 * times go on where they belong by the clock, or after the last one where the clock was set back or far ahead.
 */
function offsetOf(first: MomentsHeader, next: MomentsHeader, lastT: number | undefined): number {
  if (lastT === undefined || first.unixMs === undefined || next.unixMs === undefined) return 0;
  const byClock = next.unixMs - first.unixMs;
  const day = 24 * 3_600_000;
  return byClock === 0 || (byClock >= lastT && byClock - lastT < day) ? byClock : lastT;
}

function clientsOf(table: NvmapText): NvmapClients | undefined {
  if (!("clients" in table)) table.clients = parseNvmapClients(table.text);
  return table.clients;
}

/** tegrastats and the GPU's load in sysfs are there on a Jetson only. */
function sharesRam({ tegrastats, gpuLoad, cuda }: MomentRecord): boolean {
  return tegrastats !== undefined || gpuLoad !== undefined || cuda?.integrated === true;
}

/** Bytes; undefined where the kernel does not print it. */
function figure({ m }: MomentRecord, names: readonly string[], name: string): number | undefined {
  const value = m[names.indexOf(name)];
  return value === undefined ? undefined : value * 1024;
}

function swapUsedOf(record: MomentRecord, names: readonly string[]): number | undefined {
  const total = figure(record, names, "SwapTotal");
  const free = figure(record, names, "SwapFree");
  return total === undefined || free === undefined ? undefined : Math.max(0, total - free);
}

function meminfoOf({ m }: MomentRecord, names: readonly string[]): Meminfo {
  const known = names.slice(0, m.length);
  // These are numbers of pages.
  return Object.fromEntries(
    known.map((name, place) => [name, (m[place] ?? 0) * (name.startsWith("HugePages_") ? 1 : 1024)]),
  );
}
