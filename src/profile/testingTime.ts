/** What something costs, for tests on machines that are busy with something else or pause. */
import { readFileSync } from "node:fs";

/** The processor time in milliseconds that this thread has had: not the compiler's, the collector's or another test's. */
export function cpuMs(): number {
  return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1e6;
}

/** The least processor time in milliseconds of several tries, as few as it takes to be below `limit`. */
export async function leastCpuMs(limit: number, work: (round: number) => unknown, rounds = 5): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && least >= limit; round++) {
    const start = cpuMs();
    await work(round);
    least = Math.min(least, cpuMs() - start);
  }
  return least;
}
