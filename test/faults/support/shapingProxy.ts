/** A link of chosen quality on loopback, in front of a server: slow, lossy, cut at a byte, or silently gone. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { seeded } from "./random.ts";

export interface Shape {
  /** One way, in milliseconds. */
  readonly latencyMs: number;
  /** Each way; undefined: as fast as loopback. */
  readonly bytesPerSecond?: number;
  /** Lost segments as TCP shows them: everything behind one waits until it was sent again. */
  readonly loss?: { readonly share: number; readonly stallMs: number; readonly seed: number };
}

/** `up`: from the client to the server. */
export type Way = "up" | "down";

export interface ShapingProxy {
  readonly port: number;
  /** Of everything that is sent from now on; undefined: at once. */
  shape(shape: Shape | undefined): void;
  /** Bytes that were passed on, over all connections. */
  passed(): Readonly<Record<Way, number>>;
  /** Breaks all connections off once so many more bytes, or pieces as they were written, were passed on. */
  cutAfter(way: Way, amount: number, unit?: "bytes" | "pieces"): void;
  /** No cut is due any more. */
  forgetCuts(): void;
  /** Breaks all connections off. */
  cut(): void;
  /** Nothing passes any more and nobody is told: cables pulled, a laptop asleep. False: new connections pass again. */
  vanish(gone: boolean): void;
  /** While false, new connections are refused. */
  accepting(open: boolean): void;
  close(): Promise<void>;
}

/** Payload of a TCP segment on Ethernet. */
const SEGMENT = 1448;
/** Bytes on their way in one direction before the sender has to wait, as in a router's buffer. */
const BUFFER = 256 * 1024;

/** @param target the server's port on 127.0.0.1; `host`: a loopback address to be found at */
export async function startShapingProxy(target: number, host = "127.0.0.1"): Promise<ShapingProxy> {
  const links = new Set<{ cut(): void; vanish(): void }>();
  const passed = { up: 0, down: 0 };
  /** What may still be passed on. */
  const left: Record<Way, { readonly unit: "bytes" | "pieces"; amount: number } | undefined> = {
    up: undefined,
    down: undefined,
  };
  let shape: Shape | undefined;
  let random = seeded(0);
  let gone = false;
  let open = true;

  function counted(way: Way, bytes: number): void {
    passed[way] += bytes;
    const rest = left[way];
    if (rest === undefined) return;
    rest.amount -= rest.unit === "bytes" ? bytes : 1;
    if (rest.amount > 0) return;
    left[way] = undefined;
    cutAll();
  }
  function cutAll(): void {
    for (const link of [...links]) link.cut();
  }

  function stall(bytes: number): number {
    if (shape?.loss === undefined) return 0;
    let ms = 0;
    for (let at = 0; at < bytes; at += SEGMENT) if (random.next() < shape.loss.share) ms += shape.loss.stallMs;
    return ms;
  }

  /** One direction of a connection: in order, each piece when the link lets it arrive. */
  function pass(from: Socket, to: Socket, way: Way, isDead: () => boolean): void {
    const queue: { readonly due: number; readonly bytes: number; readonly arrive: () => void }[] = [];
    let waiting = 0;
    let free = 0;
    let due = 0;
    const send = (bytes: number, arrive: () => void): void => {
      if (shape === undefined && queue.length === 0) {
        arrive();
        return;
      }
      const now = performance.now();
      free = Math.max(free, now) + stall(bytes);
      if (shape?.bytesPerSecond !== undefined) free += (1000 * bytes) / shape.bytesPerSecond;
      // Never before what was sent earlier.
      due = Math.max(due, free + (shape?.latencyMs ?? 0));
      queue.push({ due, bytes, arrive });
      waiting += bytes;
      if (waiting > BUFFER) from.pause();
      if (queue.length === 1) setTimeout(arriving, due - now);
    };
    const arriving = (): void => {
      const now = performance.now();
      for (let first = queue[0]; first !== undefined; first = queue[0]) {
        if (first.due > now) {
          setTimeout(arriving, first.due - now);
          return;
        }
        queue.shift();
        waiting -= first.bytes;
        first.arrive();
      }
      from.resume();
    };
    const deliver = (data: Buffer): void => {
      if (isDead() || to.destroyed) return;
      const rest = left[way];
      const part = rest?.unit === "bytes" ? data.subarray(0, rest.amount) : data;
      if (part.length > 0 && !to.write(part)) {
        from.pause();
        to.once("drain", () => from.resume());
      }
      counted(way, part.length);
    };
    from.on("data", (data: Buffer) => send(data.length, () => deliver(data)));
    from.on("end", () => send(0, () => void (isDead() || to.end())));
  }

  const listener = createServer({ allowHalfOpen: true }, (client) => {
    client.on("error", () => {});
    if (!open) return void client.resetAndDestroy();
    const server = connect({ port: target, host: "127.0.0.1", allowHalfOpen: true });
    server.on("error", () => {});
    for (const socket of [client, server]) socket.setNoDelay(true);
    let state: "whole" | "cut" | "silent" = gone ? "silent" : "whole";
    const link = {
      cut() {
        state = "cut";
        links.delete(link);
        // What was passed on arrives; then nothing comes any more.
        for (const socket of [client, server]) socket.end(() => socket.destroy());
      },
      vanish() {
        state = "silent";
      },
    };
    links.add(link);
    pass(client, server, "up", () => state !== "whole");
    pass(server, client, "down", () => state !== "whole");
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on("close", () => {
        // Nobody is told through a link that passes nothing.
        if (state === "whole") other.destroy();
      });
    }
  });
  listener.listen(0, host);
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("no port");

  return {
    port: address.port,
    shape(next) {
      shape = next;
      if (next?.loss !== undefined) random = seeded(next.loss.seed);
    },
    passed: () => ({ ...passed }),
    cutAfter(way, amount, unit = "bytes") {
      left[way] = { unit, amount };
      if (amount === 0) counted(way, 0);
    },
    forgetCuts() {
      left.up = undefined;
      left.down = undefined;
    },
    cut: cutAll,
    vanish(now) {
      gone = now;
      // What was under way then is lost for good; only new connections see the link come back.
      if (gone) for (const link of links) link.vanish();
    },
    accepting(now) {
      open = now;
    },
    async close() {
      cutAll();
      listener.close();
      await once(listener, "close");
    },
  };
}
