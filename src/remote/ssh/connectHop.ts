/** One SSH connection to one hop: handshake, host key, login. */
import type { Duplex } from "node:stream";
import type { AnyAuthMethod, CipherAlgorithm, Client, KexAlgorithm, MacAlgorithm, ServerHostKeyAlgorithm } from "ssh2";
import type { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import type { Authentication } from "./authentication.ts";
import type { AlgorithmSettings } from "./config/algorithms.ts";
import type { Deadline } from "./deadline.ts";
import { connectError, type HopName, timeoutError } from "./errors.ts";
import { loadSsh2 } from "./ssh2.ts";

export interface HopOptions {
  readonly hop: HopName;
  /** Already connected. */
  readonly socket: Duplex;
  /** What is offered, best first; none of them empty. */
  readonly algorithms: AlgorithmSettings;
  /** Rejects with the `UserError` to report where the key is not to be trusted. */
  readonly verifyHostKey: (key: Buffer) => Promise<void>;
  readonly authentication: Authentication;
  /** Limit for each answer of the server; made with `expired` as its end. */
  readonly startDeadline: (expired: () => void) => Deadline;
  /** Milliseconds between signs of life. */
  readonly keepAliveInterval: number;
  readonly signal: AbortSignal;
}

const KEEP_ALIVE_MISSES = 3;

/** Resolves with a client that is logged in; the socket is destroyed in every other case. */
export async function connectHop(options: HopOptions): Promise<Client> {
  const { Client: SshClient } = await loadSsh2();
  const { hop, signal, socket, authentication, algorithms } = options;
  const client = new SshClient();
  let refusal: UserError | undefined;

  return await new Promise<Client>((resolve, reject) => {
    let settled = false;
    const deadline = options.startDeadline(() => fail(timeoutError(hop)));
    const onAbort = (): void => fail(signal.reason);
    const settle = (): boolean => {
      if (settled) return false;
      settled = true;
      deadline.stop();
      signal.removeEventListener("abort", onAbort);
      return true;
    };
    function fail(error: Error): void {
      if (!settle()) return;
      client.destroy();
      socket.destroy();
      reject(error);
    }

    client.on("ready", () => {
      if (!settle()) return;
      authentication.succeeded();
      resolve(client);
    });
    client.on("error", (error: Error & { level?: string }) => {
      // ssh2 reports an agent that gives up and goes on with the next method by itself.
      if (error.level === "agent") return;
      if (refusal !== undefined) fail(refusal);
      else if (error.level === "client-authentication") fail(authentication.failure());
      else fail(connectError(hop, error));
    });
    client.on("close", () => {
      fail(refusal ?? closedByPeer(hop));
    });
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) return onAbort();
    if (socket.destroyed) return fail(closedByPeer(hop));

    client.connect({
      sock: socket,
      username: hop.user,
      readyTimeout: 0,
      keepaliveInterval: options.keepAliveInterval,
      keepaliveCountMax: KEEP_ALIVE_MISSES,
      algorithms: {
        serverHostKey: [...algorithms.hostkeyalgorithms] as ServerHostKeyAlgorithm[],
        kex: [...algorithms.kexalgorithms] as KexAlgorithm[],
        cipher: [...algorithms.ciphers] as CipherAlgorithm[],
        hmac: [...algorithms.macs] as MacAlgorithm[],
      },
      hostVerifier: (key: Buffer, verify: (trusted: boolean) => void) => {
        options.verifyHostKey(key).then(
          () => verify(true),
          (error: UserError) => {
            refusal = error;
            verify(false);
            fail(error);
          },
        );
      },
      authHandler: (methodsLeft, _partial, next) => {
        deadline.restart();
        authentication.next(methodsLeft ?? []).then(
          (method) => {
            if (settled) return;
            // `false` is how ssh2 is told that nothing is left; its types leave it out.
            next(method ?? (false as unknown as AnyAuthMethod));
          },
          (error: Error) => fail(error),
        );
      },
    });
  });
}

function closedByPeer(hop: HopName): UserError {
  return connectError(hop, Object.assign(new Error(t("the other side closed it")), { code: "ECONNRESET" }));
}
