/**
 * Loaded into a program before its own code (`node --require`), it measures from inside what no one can see from
 * outside: how long the program's one thread was busy at a stretch. Whoever connects to the socket that METER names and
 * writes "again" begins a new measurement, "read" gets the one so far; each answer is one line of JSON.
 */
import { openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";

export interface Measured {
  /** Bytes of RSS now, and the highest since "again". */
  readonly rss: number;
  readonly rssPeak: number;
  /** Milliseconds of the main thread's CPU time between two turns of its event loop, the most since "again". */
  readonly blocked: number;
  /** The same by the clock, which counts what other programs took of the machine too. */
  readonly late: number;
  /** CPU time of all threads since "again", ms. */
  readonly cpu: number;
}

const TICK_MS = 5;
const delay = monitorEventLoopDelay({ resolution: TICK_MS });
// The main thread's number is the process's.
const spent = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
const text = Buffer.alloc(64);
let blocked = 0;
let last = { cpu: ownCpu(), at: performance.now() };
let cpuBefore = process.cpuUsage();

/** Nanoseconds that the main thread has had a CPU, as the kernel counts them. */
function ownCpu(): number {
  return Number.parseInt(text.toString("latin1", 0, readSync(spent, text, 0, text.length, 0)), 10);
}

function tick(): void {
  const now = { cpu: ownCpu(), at: performance.now() };
  // The kernel adds up in steps of some milliseconds: no stretch was longer than the clock says.
  blocked = Math.max(blocked, Math.min((now.cpu - last.cpu) / 1e6, now.at - last.at));
  last = now;
}

function again(): void {
  tick();
  blocked = 0;
  cpuBefore = process.cpuUsage();
  delay.reset();
  // The kernel's own mark of the highest RSS begins anew.
  writeFileSync("/proc/self/clear_refs", "5");
}

function read(): Measured {
  tick();
  const size = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    rss: size("VmRSS"),
    rssPeak: size("VmHWM"),
    blocked,
    late: Math.max(0, delay.max / 1e6 - TICK_MS),
    cpu: (user + system) / 1000,
  };
}

delay.enable();
setInterval(tick, TICK_MS).unref();
createServer((socket) => {
  socket.on("error", () => {});
  socket.on("data", (data) => {
    const word = data.toString("utf8");
    if (word === "collect") globalThis.gc?.();
    if (word === "again") again();
    socket.write(`${JSON.stringify(read())}\n`);
  });
  socket.unref();
})
  .listen(process.env["METER"])
  .unref();
