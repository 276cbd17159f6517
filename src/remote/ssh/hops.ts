/** The hops on the way to a board: which they are, a socket to each, and the login there. */
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Client } from "ssh2";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { parseTarget } from "../address.ts";
import { concealIn, noting } from "../secrets.ts";
import type { ConnectOptions } from "../transport/transport.ts";
import { authentication } from "./authentication.ts";
import { type AlgorithmKind, type AlgorithmSettings, offered } from "./config/algorithms.ts";
import { type HostConfiguration, hostConfiguration, type SshAddress } from "./config/configuration.ts";
import { connectHop } from "./connectHop.ts";
import { CONNECT_TIMEOUT, pausing, startDeadline } from "./deadline.ts";
import { connectError, type HopName, hopLabel, said, timeoutError } from "./errors.ts";
import { hostKeyCheck } from "./hostKeys/hostKeyCheck.ts";

const KEEP_ALIVE_INTERVAL = 15_000;
const MAX_HOPS = 8;

/** No message holds what a person typed, whoever repeats it. */
export async function withoutSecrets<Options extends Pick<ConnectOptions, "prompter" | "memory">, Result>(
  options: Options,
  body: (options: Options) => Promise<Result>,
): Promise<Result> {
  const { secrets } = options.memory;
  const { prompter } = options;
  try {
    return await body({ ...options, prompter: prompter === undefined ? undefined : noting(prompter, secrets) });
  } catch (error) {
    throw concealIn(error, secrets);
  }
}

/** A hop of a route, with the way to it. */
export function hopName(route: readonly HostConfiguration[], index: number): HopName {
  const named = ({ user, hostName: host, port }: HostConfiguration): HopName => ({ user, host, port, via: [] });
  const config = route[index];
  if (config === undefined) throw new Error("a route has at least one hop");
  return { ...named(config), via: route.slice(0, index).map((hop) => hopLabel(named(hop))) };
}

/** Logs in to every hop, each through the one before it. Where one fails, those before it are left. */
export async function logInAlong(
  route: readonly HostConfiguration[],
  options: ConnectOptions,
): Promise<readonly Client[]> {
  const clients: Client[] = [];
  try {
    for (const [index, config] of route.entries()) {
      const hop = hopName(route, index);
      clients.push(await logIn(config, hop, await socketTo(config, hop, clients.at(-1), options.signal), options));
    }
    return clients;
  } catch (error) {
    for (const client of clients) client.destroy();
    throw error;
  }
}

/** @param through the hop before; undefined: from here */
export function socketTo(
  config: HostConfiguration,
  hop: HopName,
  through: Client | undefined,
  signal: AbortSignal,
): Promise<Duplex> {
  return through === undefined ? dial(config, hop, signal) : forward(through, config, hop, signal);
}

/** The hops in the order they are passed, the board last. As with `ssh -J a,b`, only the first may have jumps itself. */
export async function planRoute(
  address: SshAddress,
  signal: AbortSignal,
  depth = 0,
): Promise<readonly HostConfiguration[]> {
  const config = await hostConfiguration(address, signal);
  if (config.proxyJump.length === 0) {
    if (config.proxyCommand !== undefined) {
      throw new UserError(
        "proxy-command",
        t(
          "Your SSH configuration reaches {0} through a ProxyCommand, which this extension does not run.",
          address.host,
        ),
        t("Replace it with ProxyJump in ~/.ssh/config, for example: ProxyJump user@gateway"),
      );
    }
    return [config];
  }
  const [first, ...others] = config.proxyJump.map((text) => jumpAddress(text, address.host));
  if (first === undefined || depth + config.proxyJump.length >= MAX_HOPS) {
    throw new UserError(
      "too-many-hops",
      t("The way to {0} goes through more than {1} hosts, or in a loop.", address.host, MAX_HOPS),
      t("Check ProxyJump in ~/.ssh/config with: ssh -G {0}", address.host),
    );
  }
  const start = await planRoute(first, signal, depth + config.proxyJump.length);
  const middle = await Promise.all(others.map((hop) => hostConfiguration(hop, signal)));
  return [...start, ...middle, config];
}

function jumpAddress(text: string, host: string): SshAddress {
  const target = parseTarget(text.startsWith("ssh://") ? text : `ssh://${text}`);
  if (target.kind === "ssh") return target;
  throw new UserError(
    "bad-target",
    t("ProxyJump of {0} names no host.", host),
    t("Correct ProxyJump in ~/.ssh/config."),
  );
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
    t("{0} could not connect onward to {1}: {2}", hop.via.at(-1) ?? t("The jump host"), hopLabel(hop), said(error)),
    t("Check the name and port as seen from the jump host, and that it allows forwarding (AllowTcpForwarding)."),
    { cause: error },
  );
}

/** Where the configuration allows only what we lack, nothing else is tried behind its back. */
export function negotiable({ alias, algorithms }: HostConfiguration): Omit<AlgorithmSettings, "hostkeyalgorithms"> {
  const choose = (kind: AlgorithmKind, option: string): readonly string[] => {
    const names = offered(kind, algorithms[kind]);
    if (names.length > 0) return names;
    throw new UserError(
      "no-common-algorithm",
      t(
        "Your SSH configuration allows for {0} only {1} that this extension does not have: {2}.",
        alias,
        option,
        algorithms[kind].join(","),
      ),
      t("Add one of these to {0} in ~/.ssh/config: {1}", option, offered(kind, []).join(",")),
    );
  };
  return {
    kexalgorithms: choose("kexalgorithms", "KexAlgorithms"),
    ciphers: choose("ciphers", "Ciphers"),
    macs: choose("macs", "MACs"),
  };
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
      algorithms: { ...negotiable(config), hostkeyalgorithms: check.algorithms },
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
