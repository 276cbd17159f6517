/** The way to a board over SSH: every hop configured, verified and logged in to, then commands over the last one. */
import { randomBytes } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import type { Client, ClientChannel } from "ssh2";
import { UserError } from "../../profile/userError.ts";
import { sentences, t } from "../../words/t.ts";
import { conceal, concealIn } from "../secrets.ts";
import { afterMarker } from "../transport/marker.ts";
import { remoteCommand } from "../transport/quote.ts";
import {
  type Connection,
  type ConnectOptions,
  type ExitStatus,
  lossOf,
  type RemoteProcess,
} from "../transport/transport.ts";
import type { SshAddress } from "./config/configuration.ts";
import { type HopName, hopLabel, lostError, said } from "./errors.ts";
import { hopName, logInAlong, planRoute, withoutSecrets } from "./hops.ts";

const CLOSE_LIMIT = 2_000;

/** No message holds what a person typed, whoever repeats it. */
export async function openSsh(address: SshAddress, options: ConnectOptions): Promise<Connection> {
  const { secrets } = options.memory;
  const connection = await withoutSecrets(options, (concealing) => connectAll(address, concealing));
  return {
    ...connection,
    exec: (argv) =>
      connection.exec(argv).catch((error) => {
        throw concealIn(error, secrets);
      }),
    closed: connection.closed.then((reason) => concealIn(reason, secrets)),
  };
}

async function connectAll(address: SshAddress, options: ConnectOptions): Promise<Connection> {
  const route = await planRoute(address, options.signal);
  const clients = await logInAlong(route, options).catch((error: unknown) => {
    throw route.some(({ passesOverMatchExec }) => passesOverMatchExec) ? withMatchExec(error) : error;
  });
  const client = clients.at(-1);
  if (client === undefined) throw new Error("a route has at least one hop");
  const hop = hopName(route, route.length - 1);
  return overClient(client, hop, {
    kind: "ssh",
    name: hopLabel(hop),
    onNoise: options.onNoise,
    conceal: (text) => conceal(text, options.memory.secrets),
    onClose: () => {
      for (const each of [...clients].reverse()) each.end();
      // A board that no longer answers must not keep this process alive.
      setTimeout(() => clients.forEach((each) => void each.destroy()), CLOSE_LIMIT).unref();
    },
  });
}

/** What was passed over may be why the host, the user or the way there is wrong. */
function withMatchExec(error: unknown): unknown {
  if (!(error instanceof UserError)) return error;
  const hint = t(
    "Match exec in ~/.ssh/config was passed over, as there is no ssh command here to ask: write what it sets under Host, or install ssh.",
  );
  return error.with({ hint: sentences(error.hint, hint) });
}

export interface ClientConnectionOptions {
  readonly kind: "ssh" | "loopback";
  readonly name: string;
  readonly onNoise: (text: string) => void;
  /** Masks what a person typed. */
  readonly conceal: (text: string) => string;
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
  const connection: Connection = {
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
            new UserError(
              "exec-failed",
              t("{0} did not start a command: {1}", options.name, said(error)),
              t("Try again."),
              {
                cause: error,
              },
            ),
          );
        };
        try {
          client.exec(remoteCommand(argv, marker), (error, channel) => {
            if (error !== undefined && error !== null) fail(error);
            else resolve(asRemoteProcess(channel, afterMarker(channel, marker, { ...options, onNoise, isLost })));
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
  const isLost = async (): Promise<boolean> => (await lossOf(connection)) !== undefined;
  return connection;
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
