/** How long something takes, for tests on machines that are busy with something else or pause. */

/**
 * The least processor time in milliseconds of several tries, as few as it takes to be below `limit`. That of the
 * compiler's and the collector's threads counts too, so some may have to go by until one is free of them.
 */
export async function leastCpuMs(limit: number, work: (round: number) => unknown, rounds = 5): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && least >= limit; round++) {
    const start = process.cpuUsage();
    await work(round);
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
