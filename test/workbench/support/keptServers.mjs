// A VS Code server for each place where stories run side by side, kept from one story to the next: a start takes four
// seconds of the processor. They are vitest's own process's, which outlives those of the stories.
import { once } from "node:events";
import * as http from "node:http";
import { startStoryServer } from "./server.mjs";

/**
 * Listens for stories: the address with the name of a place answers with its server, which is started when it is first
 * asked for.
 * @param {string} vsix installed in each
 * @returns {Promise<{address: string, stop: () => Promise<void>}>}
 */
export async function keepServers(vsix) {
  const kept = new Map();
  const door = http.createServer(async ({ url: place }, response) => {
    if (!kept.has(place)) kept.set(place, startStoryServer({ vsix }));
    try {
      const { home, server } = await kept.get(place);
      const { port, pid, dataDir, version } = server;
      response.end(JSON.stringify({ port, pid, dataDir, version, home }));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await once(door.listen(0, "127.0.0.1"), "listening");
  return {
    address: `http://127.0.0.1:${door.address().port}`,
    async stop() {
      door.close();
      for (const started of await Promise.allSettled(kept.values())) {
        if (started.status === "fulfilled") await started.value.stop();
      }
    },
  };
}
