/** The link between the two sides, in a process of its own: the parent names the round trip, in milliseconds. */
import { startShapingProxy } from "../../test/faults/support/shapingProxy.ts";

async function main(): Promise<void> {
  const proxy = await startShapingProxy(Number(process.argv[2]));
  process.on("message", (roundTrip: number) => {
    proxy.shape(roundTrip === 0 ? undefined : { latencyMs: roundTrip / 2 });
    process.send?.({ roundTrip });
  });
  process.send?.({ port: proxy.port });
}

void main();
