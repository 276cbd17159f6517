/** What answers at the board's address says things without end before it says that it is an SSH server. */
import { createServer, type Server, type Socket } from "node:net";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { UserError } from "../../../src/profile/userError.ts";
import { openSsh } from "../../../src/remote/ssh/openSsh.ts";
import { emptyMemory } from "../../../src/remote/transport/transport.ts";
import { prompter } from "../../support/scene.ts";
import { record } from "../support/results.ts";

/** Of RSS, bytes: garbage of what was passed over, and sockets' buffers. */
const MOST_ADDED = 128 * 2 ** 20;
let server: Server | undefined;
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server?.close();
});

let trials = 0;
afterAll(() => {
  record({
    kind: "fault",
    group: "hostile",
    fault: "Lines and bytes without end where an SSH server should answer: refused in words, nothing kept",
    trials,
    lostProfiles: undefined,
    duplicatedOutput: undefined,
    wrongLine: undefined,
  });
});

describe("an address where something talks without end", () => {
  it.each([
    ["lines", "welcome, stay a while\r\n".repeat(2_000)],
    ["a line without an end", "x".repeat(64 * 1024)],
    ["escape sequences for an identification", "SSH-2.0-\u001b[2J\u001b]0;x\u0007".repeat(2_000)],
  ])("%s: the connection is given up", async (_, text) => {
    trials++;
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      const more = (): void => {
        while (!socket.destroyed && socket.write(text));
      };
      socket.on("drain", more);
      more();
    });
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("a server has a port");
    const before = process.memoryUsage().rss;
    const opening = openSsh(
      { host: "127.0.0.1", port: address.port, user: "nano" },
      { prompter: prompter(), memory: emptyMemory(), signal: new AbortController().signal, onNoise: () => {} },
    );
    const error = await opening.then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error).toBeInstanceOf(UserError);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(error?.message).not.toMatch(/[\0-\x09\x0b-\x1f\x7f]/);
    expect(process.memoryUsage().rss - before).toBeLessThan(MOST_ADDED);
  });
});
