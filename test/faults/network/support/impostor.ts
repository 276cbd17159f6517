/** Machines in between: one that answers in another's place, and the place where it gets in. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import ssh2 from "ssh2";

export interface Impostor {
  readonly port: number;
  /** What was offered or asked of it: must stay empty. */
  readonly got: string[];
  /** How often somebody came. */
  visits(): number;
  close(): Promise<void>;
}

/** Lets everybody in by any means, with the key in the file. */
export async function startImpostor(keyFile: string): Promise<Impostor> {
  const got: string[] = [];
  let visits = 0;
  const server = new ssh2.Server({ hostKeys: [readFileSync(keyFile)] }, (client) => {
    visits++;
    client.on("error", () => {});
    client.on("authentication", (context) => {
      got.push(`login by ${context.method}`);
      context.accept();
    });
    client.on("request", (_accept, _reject, name) => got.push(`request ${name}`));
    client.on("tcpip", (_accept, reject) => {
      got.push("onward connection");
      reject();
    });
    client.on("session", (accept) => {
      accept().on("exec", (_accept, reject, { command }) => {
        got.push(command);
        reject();
      });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: portOf(server.address()),
    got,
    visits: () => visits,
    async close() {
      server.close();
      await once(server, "close");
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** An address at which one machine or another answers. */
export interface Junction {
  readonly port: number;
  /** From now on whoever comes gets there; those who are connected stay where they are. */
  leadTo(port: number): void;
  /** Cuts all connections off without a goodbye. */
  cut(): void;
  close(): Promise<void>;
}

export async function startJunction(first: number): Promise<Junction> {
  const sockets = new Set<Socket>();
  let current = first;
  const server = createServer((near) => {
    const far = connect(current, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: portOf(server.address()),
    leadTo(port) {
      current = port;
    },
    cut,
    async close() {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
