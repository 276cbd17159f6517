/** Programs of ours, bundled as they are shipped and measured from their inside while they are under load. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { bundlePrograms } from "../../../../scripts/bundleProgram.mjs";
import { pythonsRunning } from "../../../support/processes.ts";
import { record, times } from "../../support/results.ts";
import type { Measured } from "./meter.ts";

export interface Programs {
  readonly folder: string;
  /** Starts a program with the meter in it. */
  start(name: "host" | "server", environment?: NodeJS.ProcessEnv): Promise<Program>;
  remove(): void;
}

export interface Program {
  readonly child: ChildProcess;
  readonly meter: Meter;
  stop(): Promise<void>;
}

export interface Meter {
  /** Begins a new measurement. */
  again(): Promise<Measured>;
  read(): Promise<Measured>;
  /** Has the garbage collected first: what is left is kept. */
  kept(): Promise<Measured>;
}

/**
 * Bytes of RSS. The issue allows the extension host 150 MB; of the language server, a process of its own, it says
 * nothing: that bar is ours.
 */
const RSS_BARS = { "extension host": 150e6, "language server": 512 * 2 ** 20 } as const;
/** Milliseconds that neither may be blocked for. */
export const BLOCKED_BAR = 100;
/** A busy machine gets more rounds, not more of what is measured. */
export const ROUNDS = 5;
/** Of tests that try so often. */
export const PATIENCE = { timeout: times(600_000, 3_600_000) };

export async function buildPrograms(): Promise<Programs> {
  const folder = mkdtempSync(join(tmpdir(), "jmp-load-"));
  const programs = {
    host: "test/faults/load/support/host.ts",
    meter: "test/faults/load/support/meter.ts",
    server: "src/server/start.ts",
  };
  await bundlePrograms(programs, folder);
  let started = 0;
  return {
    folder,
    async start(name, environment = {}) {
      started += 1;
      const socket = join(folder, `${name}.${started}.meter`);
      const child = fork(join(folder, `${name}.cjs`), name === "server" ? ["--node-ipc"] : [], {
        execArgv: ["--expose-gc", "--require", join(folder, "meter.cjs")],
        env: { ...process.env, ...environment, METER: socket },
        stdio: ["ignore", "inherit", "inherit", "ipc"],
      });
      const meter = await reach(socket);
      return {
        child,
        meter,
        async stop() {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const gone = once(child, "exit");
          child.kill("SIGKILL");
          await gone;
        },
      };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export async function reach(path: string): Promise<Meter> {
  for (;;) {
    const socket = connect(path);
    try {
      await once(socket, "connect");
    } catch {
      await delay(10);
      continue;
    }
    socket.unref();
    const ask = async (word: string): Promise<Measured> => {
      socket.ref();
      socket.write(word);
      const [line] = await once(socket, "data");
      socket.unref();
      return JSON.parse(String(line));
    };
    return { again: () => ask("again"), read: () => ask("read"), kept: () => ask("collect") };
  }
}

export type ProgramName = keyof typeof RSS_BARS;

export interface Measurable {
  /** Of the programs that run now. */
  meters(): ReadonlyMap<ProgramName, Meter>;
  /** Ends the programs, and starts them anew. */
  renew(): Promise<void>;
}

export interface UnderLoad<T> {
  /** What came of the work, of its last round. */
  readonly done: T;
  /** The bars that were missed, in words. */
  readonly missed: readonly string[];
}

/**
 * Measures programs while `work` is done, and again, with new processes, where one was blocked for too long: that a
 * virtual machine stood still, the kernel counts as CPU time of the program that it ran. Of all rounds the least time
 * counts, and the most memory.
 * @param work has as much to do each time
 */
export async function underLoad<T>(
  load: string,
  programs: Measurable,
  work: (round: number) => Promise<T>,
): Promise<UnderLoad<T>> {
  const all = new Map<ProgramName, Figures>();
  for (let round = 0; ; round++) {
    if (round > 0) await programs.renew();
    const before = new Map<ProgramName, Measured>();
    for (const [program, meter] of programs.meters()) before.set(program, await meter.again());
    const done = await orWhatRuns(work(round));
    for (const [program, meter] of programs.meters()) {
      const { rssPeak, blocked, late, cpu } = await meter.read();
      console.log(`${load}, ${program}: ${late.toFixed(1)} ms by the clock, CPU ${cpu.toFixed(0)} ms`);
      const figures = { rssPeak, growth: rssPeak - (before.get(program)?.rss ?? 0), blocked };
      all.set(program, together(all.get(program) ?? figures, figures));
    }
    if (round + 1 < ROUNDS && [...all.values()].some(({ blocked }) => blocked >= BLOCKED_BAR)) continue;
    for (const [program, { rssPeak, growth, blocked }] of all) {
      recordBytes(load, `${program}: RSS of its process`, rssPeak, RSS_BARS[program]);
      recordBytes(load, `${program}: growth of its RSS`, growth, RSS_BARS[program]);
      recordMs(load, `${program}: CPU time between two turns of its event loop`, blocked, BLOCKED_BAR);
    }
    return { done, missed: [...all].flatMap(([program, figures]) => missedBars(program, figures)) };
  }
}

/** A run that never ends fails with what was running then: the log of a whole run is all that is left of it. */
async function orWhatRuns<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The run does not end.\n${pythonsRunning()}`)), PATIENCE.timeout / 2);
  });
  return await Promise.race([work, stuck]).finally(() => clearTimeout(timer));
}

/** The RSS is that of a whole Node process, without VS Code's own part of the extension host. */
interface Figures {
  readonly rssPeak: number;
  readonly growth: number;
  readonly blocked: number;
}

function together(one: Figures, other: Figures): Figures {
  return {
    rssPeak: Math.max(one.rssPeak, other.rssPeak),
    growth: Math.max(one.growth, other.growth),
    blocked: Math.min(one.blocked, other.blocked),
  };
}

function missedBars(program: ProgramName, { rssPeak, blocked }: Figures): readonly string[] {
  return [
    ...(rssPeak < RSS_BARS[program] ? [] : [`${program} took ${(rssPeak / 2 ** 20).toFixed(1)} MiB`]),
    ...(blocked < BLOCKED_BAR ? [] : [`${program} was blocked for ${blocked.toFixed(1)} ms of CPU time`]),
  ];
}

export function recordBytes(load: string, measures: string, value: number, bar: number): void {
  record({ kind: "load", load, measures, value, bar, unit: "bytes" });
  console.log(`${load}, ${measures}: ${(value / 2 ** 20).toFixed(2)} of ${(bar / 2 ** 20).toFixed(1)} MiB`);
}

export function recordMs(load: string, measures: string, value: number, bar: number): void {
  record({ kind: "load", load, measures, value, bar, unit: "ms" });
  console.log(`${load}, ${measures}: ${value.toFixed(1)} of ${bar} ms`);
}
