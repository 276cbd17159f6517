/** What a client offers to agree on, read from its first packet. */
import { once } from "node:events";
import { createServer } from "node:net";

/** Name lists of RFC 4253, 7.1, by what they are for. */
export interface KexInit {
  readonly kex: readonly string[];
  readonly hostKeys: readonly string[];
  readonly ciphers: readonly string[];
  readonly macs: readonly string[];
}

export interface KexListener {
  readonly port: number;
  /** Of the client that comes next. */
  next(): Promise<KexInit>;
  close(): void;
}

export async function startKexListener(): Promise<KexListener> {
  const waiting: ((offer: KexInit) => void)[] = [];
  const server = createServer((socket) => {
    let data = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.write("SSH-2.0-OpenSSH_7.6p1 Ubuntu-4ubuntu0.7\r\n");
    socket.on("data", (chunk: Buffer) => {
      data = Buffer.concat([data, chunk]);
      const start = data.indexOf("\r\n") + 2;
      if (start < 2 || data.length < start + 4 || data.length < start + 4 + data.readUInt32BE(start)) return;
      socket.destroy();
      waiting.shift()?.(parse(data.subarray(start)));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    close: () => server.close(),
  };
}

function parse(packet: Buffer): KexInit {
  const KEXINIT = 20;
  if (packet[5] !== KEXINIT) throw new Error(`the first packet is of type ${packet[5]}`);
  // Length, padding, type and the cookie come before the lists.
  let at = 4 + 1 + 1 + 16;
  const list = (): readonly string[] => {
    const length = packet.readUInt32BE(at);
    const names = packet.toString("latin1", at + 4, at + 4 + length);
    at += 4 + length;
    return names === "" ? [] : names.split(",");
  };
  const [kex = [], hostKeys = [], there = [], back = [], macsThere = [], macsBack = []] = Array.from(
    { length: 6 },
    list,
  );
  return { kex, hostKeys, ciphers: [...there, ...back], macs: [...macsThere, ...macsBack] };
}
