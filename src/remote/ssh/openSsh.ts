/** The way to a board over SSH: every hop configured, verified and logged in to, then commands over the last one. */
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import type { Duplex, Readable, Writable } from "node:stream";
import type { Client, ClientChannel } from "ssh2";
import { UserError } from "../../profile/userError.ts";
import { parseTarget } from "../address.ts";
import { afterMarker } from "../transport/marker.ts";
import { remoteCommand } from "../transport/quote.ts";
import type { Connection, ConnectOptions, ExitStatus, RemoteProcess } from "../transport/transport.ts";
import { authentication } from "./authentication.ts";
import { type HostConfiguration, hostConfiguration, type SshAddress } from "./configuration.ts";
import { connectHop } from "./connectHop.ts";
import { pausing, startDeadline } from "./deadline.ts";
import { connectError, type HopName, hopLabel, lostError, said, timeoutError } from "./errors.ts";
import { hostKeyCheck } from "./hostKeyCheck.ts";

const CONNECT_TIMEOUT = 15_000;
const KEEP_ALIVE_INTERVAL = 15_000;
const CLOSE_LIMIT = 2_000;
const MAX_HOPS = 8;

export async function openSsh(address: SshAddress, options: ConnectOptions): Promise<Connection> {
  const route = await planRoute(address, options.signal);
  const clients: Client[] = [];
  try {
    const via: string[] = [];
    for (const config of route) {
      const hop: HopName = { user: config.user, host: config.hostName, port: config.port, via: [...via] };
      const last = clients.at(-1);
      const socket =
        last === undefined ? await dial(config, hop, options.signal) : await forward(last, config, hop, options.signal);
      clients.push(await logIn(config, hop, socket, options));
      via.push(hopLabel(hop));
    }
  } catch (error) {
    for (const client of clients) client.destroy();
    throw error;
  }
  const config = route.at(-1);
  const client = clients.at(-1);
  if (config === undefined || client === undefined) throw new Error("a route has at least one hop");
  const hop: HopName = {
    user: config.user,
    host: config.hostName,
    port: config.port,
    via: route.slice(0, -1).map((each) => hopLabel({ ...each, host: each.hostName, via: [] })),
  };
  return overClient(client, hop, {
    kind: "ssh",
    name: hopLabel(hop),
    onNoise: options.onNoise,
    onClose: () => {
      for (const each of [...clients].reverse()) each.end();
      // A board that no longer answers must not keep this process alive.
      setTimeout(() => clients.forEach((each) => void each.destroy()), CLOSE_LIMIT).unref();
    },
  });
}

/** The hops in the order they are passed, the board last. As with `ssh -J a,b`, only the first may have jumps itself. */
async function planRoute(address: SshAddress, signal: AbortSignal, depth = 0): Promise<readonly HostConfiguration[]> {
  const config = await hostConfiguration(address, signal);
  if (config.proxyJump.length === 0) {
    if (config.proxyCommand !== undefined) {
      throw new UserError(
        "proxy-command",
        `Your SSH configuration reaches ${address.host} through a ProxyCommand, which this extension does not run.`,
        `Replace it with ProxyJump in ~/.ssh/config, for example: ProxyJump user@gateway`,
      );
    }
    return [config];
  }
  const [first, ...others] = config.proxyJump.map((text) => jumpAddress(text, address.host));
  if (first === undefined || depth + config.proxyJump.length >= MAX_HOPS) {
    throw new UserError(
      "too-many-hops",
      `The way to ${address.host} goes through more than ${MAX_HOPS} hosts, or in a circle.`,
      `Check ProxyJump in ~/.ssh/config with: ssh -G ${address.host}`,
    );
  }
  const start = await planRoute(first, signal, depth + config.proxyJump.length);
  const middle = await Promise.all(others.map((hop) => hostConfiguration(hop, signal)));
  return [...start, ...middle, config];
}

function jumpAddress(text: string, host: string): SshAddress {
  const target = parseTarget(text.startsWith("ssh://") ? text : `ssh://${text}`);
  if (target.kind === "ssh") return target;
  throw new UserError("bad-target", `ProxyJump of ${host} names no host.`, "Correct ProxyJump in ~/.ssh/config.");
}

function dial(config: HostConfiguration, hop: HopName, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: config.hostName, port: config.port });
    const timer = setTimeout(() => done(timeoutError(hop)), config.connectTimeout ?? CONNECT_TIMEOUT);
    const onAbort = (): void => done(signal.reason);
    const onError = (error: Error): void => done(connectError(hop, firstOf(error)));
    function done(error: Error | undefined): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      socket.removeListener("error", onError);
      // Until the client listens, and after it is done, a broken socket is told by its being destroyed.
      socket.on("error", () => {});
      if (error === undefined) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(error);
    }
    socket.once("connect", () => {
      socket.setNoDelay(true);
      done(undefined);
    });
    socket.once("error", onError);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
  });
}

/** A host with several addresses fails with one error for all of them. */
function firstOf(error: Error): Error {
  return error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
}

/** A channel that is granted after the time is up ends with the client it runs over. */
function forward(client: Client, config: HostConfiguration, hop: HopName, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(() => reject(timeoutError(hop))), config.connectTimeout ?? CONNECT_TIMEOUT);
    const onAbort = (): void => done(() => reject(signal.reason));
    function done(settle: () => void): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      settle();
    }
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) return onAbort();
    try {
      client.forwardOut("127.0.0.1", 0, config.hostName, config.port, (error, channel) =>
        done(() => {
          if (error === undefined || error === null) resolve(channel);
          else reject(jumpFailed(hop, error));
        }),
      );
    } catch (error) {
      // Thrown where the jump host is already gone.
      done(() => reject(jumpFailed(hop, error as Error)));
    }
  });
}

function jumpFailed(hop: HopName, error: Error): UserError {
  return new UserError(
    "jump-failed",
    `${hop.via.at(-1) ?? "The jump host"} could not connect onward to ${hopLabel(hop)}: ${said(error)}`,
    "Check the name and port as seen from the jump host, and that it allows forwarding (AllowTcpForwarding).",
    { cause: error },
  );
}

async function logIn(
  config: HostConfiguration,
  hop: HopName,
  socket: Duplex,
  options: ConnectOptions,
): Promise<Client> {
  let onExpired = (): void => {};
  const deadline = startDeadline(config.connectTimeout ?? CONNECT_TIMEOUT, () => onExpired());
  const prompter = options.prompter === undefined ? undefined : pausing(options.prompter, deadline);
  try {
    const check = await hostKeyCheck(config, hop, prompter, options.memory.hostKeys);
    return await connectHop({
      hop,
      socket,
      hostKeyAlgorithms: check.algorithms,
      verifyHostKey: check.verify,
      authentication: await authentication({ config, hop, prompter, memory: options.memory }),
      startDeadline: (expired) => {
        onExpired = expired;
        deadline.restart();
        return deadline;
      },
      keepAliveInterval: config.keepAliveInterval ?? KEEP_ALIVE_INTERVAL,
      signal: options.signal,
    });
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    deadline.stop();
  }
}

export interface ClientConnectionOptions {
  readonly kind: "ssh" | "loopback";
  readonly name: string;
  readonly onNoise: (text: string) => void;
  readonly onClose: () => void;
}

/** Commands over a client that is logged in. */
export function overClient(client: Client, hop: HopName, options: ClientConnectionOptions): Connection {
  let asked = false;
  let failure: Error | undefined;
  client.on("error", (error: Error) => {
    failure = error;
  });
  const closed = new Promise<UserError | undefined>((resolve) => {
    client.on("close", () => resolve(asked ? undefined : lostError(hop, failure)));
  });
  let noiseTold = false;
  return {
    kind: options.kind,
    name: options.name,
    closed,
    exec: (argv) =>
      new Promise((resolve, reject) => {
        const marker = `jetson-memprof-${randomBytes(8).toString("hex")}`;
        const onNoise = (text: string): void => {
          if (!noiseTold) options.onNoise(text);
          noiseTold = true;
        };
        const fail = (error: Error): void => {
          reject(
            new UserError("exec-failed", `${options.name} did not start a command: ${said(error)}`, "Try again.", {
              cause: error,
            }),
          );
        };
        try {
          client.exec(remoteCommand(argv, marker), (error, channel) => {
            if (error !== undefined && error !== null) fail(error);
            else resolve(asRemoteProcess(channel, afterMarker(channel, marker, options.name, onNoise)));
          });
        } catch (error) {
          // Thrown where the connection is already gone.
          reject(lostError(hop, error as Error));
        }
      }),
    close() {
      asked = true;
      options.onClose();
    },
  };
}

function asRemoteProcess(channel: ClientChannel, stdout: Readable): RemoteProcess {
  // Whoever reads or writes is told there; with nobody at it, a broken stream must not end this process.
  for (const stream of [channel, channel.stderr, stdout]) stream.on("error", () => {});
  const status: { code: number | undefined; signal: string | undefined } = { code: undefined, signal: undefined };
  channel.on("exit", (code: number | null, signal?: string) => {
    status.code = code ?? undefined;
    status.signal = signal;
  });
  const exit = new Promise<ExitStatus>((resolve) => {
    channel.on("close", () => resolve(status));
  });
  return {
    stdin: channel as Writable,
    stdout,
    stderr: channel.stderr as Readable,
    exit,
    kill() {
      channel.signal("TERM");
      channel.close();
    },
  };
}
