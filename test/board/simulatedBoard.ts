/** A copy of a simulated board whose memory a test moves, as the kernel's counters would move. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeFolder } from "../support/removeFolder.mjs";

export type BoardName = "nano" | "orin-nano" | "raspberry-pi";

export interface SimulatedBoard {
  /** The folder that stands for `/`: the value of JETSON_MEMPROF_SYSTEM_ROOT. */
  readonly root: string;
  /** What the board is called wherever it is shown. */
  readonly name: string;
  /** A figure of meminfo, in kB. */
  meminfo(field: string): number;
  /**
   * A process of the board takes so many MiB of anonymous memory, or gives them back where negative: available memory,
   * AnonPages and the process's own figures move; free memory first, and the page cache makes room for the rest.
   */
  take(mib: number, process: string): void;
  /** The process takes or gives back memory until so many MiB are available. */
  leave(mib: number, process: string): void;
  remove(): Promise<void>;
}

const BOARDS = fileURLToPath(new URL(".", import.meta.url));
const KIB = 1024;
const PAGE_KIB = 4;
/** What the kernel keeps free, in kB. */
const LEAST_FREE = 20 * KIB;

export function simulatedBoard(board: BoardName): SimulatedBoard {
  const root = mkdtempSync(join(tmpdir(), `jmp-${board}-`));
  cpSync(join(BOARDS, board), root, { recursive: true, verbatimSymlinks: true });
  const file = join(root, "proc/meminfo");
  const idle = readFileSync(file, "utf8");
  let taken = 0;
  const simulated: SimulatedBoard = {
    root,
    name: readFileSync(join(root, "SIMULATED"), "utf8").trim(),
    meminfo: (field) => figure(readFileSync(file, "utf8"), field),
    take(mib, process) {
      const kib = mib * KIB;
      taken += kib;
      change(file, () => moveAll(idle, whenTaken(taken, figure(idle, "MemFree") - LEAST_FREE)));
      const folder = folderOf(root, process);
      change(join(folder, "status"), (text) => moveAll(text, { VmRSS: kib, RssAnon: kib }));
      change(join(folder, "statm"), (text) => {
        const [size, resident = "0", ...rest] = text.split(" ");
        return [size, Number(resident) + kib / PAGE_KIB, ...rest].join(" ");
      });
    },
    leave: (mib, process) => simulated.take(Math.floor(simulated.meminfo("MemAvailable") / KIB) - mib, process),
    remove: () => removeFolder(root),
  };
  return simulated;
}

/** What of meminfo differs from the idle board, in kB. */
function whenTaken(kib: number, spare: number): Readonly<Record<string, number>> {
  const reclaimed = Math.max(0, kib - spare);
  const [buffers, slab] = [Math.round(reclaimed * 0.07), Math.round(reclaimed * 0.05)];
  const cached = reclaimed - buffers - slab;
  return {
    MemFree: reclaimed - kib,
    MemAvailable: -kib,
    Buffers: -buffers,
    Cached: -cached,
    SReclaimable: -slab,
    Slab: -slab,
    AnonPages: kib,
    "Active(anon)": kib,
    Active: kib,
  };
}

function folderOf(root: string, name: string): string {
  const processes = readdirSync(join(root, "proc")).filter((entry) => /^\d+$/.test(entry));
  const found = processes.find((pid) =>
    readFileSync(join(root, "proc", pid, "status"), "utf8").startsWith(`Name:\t${name}\n`),
  );
  if (found === undefined) throw new Error(`the simulated board has no process ${name}`);
  return join(root, "proc", found);
}

/** Whole or not at all: a reader may come at any time. */
function change(file: string, edit: (text: string) => string): void {
  writeFileSync(`${file}.new`, edit(readFileSync(file, "utf8")));
  renameSync(`${file}.new`, file);
}

function moveAll(text: string, moves: Readonly<Record<string, number>>): string {
  return Object.entries(moves).reduce((edited, [field, kib]) => {
    const value = figure(edited, field) + kib;
    if (value < 0) throw new Error(`${field} would be below zero`);
    return edited.replace(line(field), `$1${String(value).padStart(8)} kB`);
  }, text);
}

function figure(text: string, field: string): number {
  const found = line(field).exec(text)?.[2];
  if (found === undefined) throw new Error(`there is no ${field}`);
  return Number(found);
}

const line = (field: string): RegExp => new RegExp(`^(${field.replace(/[()]/g, "\\$&")}:)\\s+(\\d+) kB`, "m");
