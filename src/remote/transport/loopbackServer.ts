/** An SSH server inside this process, on 127.0.0.1 only, for one client key: the simulated board. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:net";
import { homedir } from "node:os";
import type { AuthContext, Connection as ClientSession, ParsedKey, ServerChannel, Session } from "ssh2";
import { loadSsh2 } from "../ssh/ssh2.ts";

export interface LoopbackServer {
  readonly port: number;
  /** The host's public key as it is presented. */
  readonly hostKey: Buffer;
  /** The only key that is let in. */
  readonly clientKey: ParsedKey;
  readonly user: string;
  close(): void;
}

const USER = "simulated";

/** Both keys are made anew and live in memory only. Commands run in the user's home through `sh -c`. */
export async function startLoopbackServer(): Promise<LoopbackServer> {
  const { Server, utils } = await loadSsh2();
  const [hostPem, clientPem] = [newKey(), newKey()];
  const hostKey = utils.parseKey(hostPem);
  const clientKey = utils.parseKey(clientPem);
  if (hostKey instanceof Error) throw hostKey;
  if (clientKey instanceof Error) throw clientKey;

  const sessions = new Set<ClientSession>();
  const ssh = new Server({ hostKeys: [hostPem] }, (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    // A client that goes away is no fault of the server.
    session.on("error", () => {});
    session.on("authentication", (context) => decide(context, clientKey));
    session.on("session", (accept) => serveExec(accept()));
  });
  const listener = createServer((socket) => {
    socket.setNoDelay(true);
    ssh.injectSocket(socket);
  });
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject);
    listener.listen(0, "127.0.0.1", resolve);
  });
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("the simulated board has no port");
  return {
    port: address.port,
    hostKey: hostKey.getPublicSSH(),
    clientKey,
    user: USER,
    close() {
      listener.close();
      for (const session of sessions) session.end();
    },
  };
}

/** By Node: ssh2's own generator is left out of the bundle. */
function newKey(): string {
  return generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "sec1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  }).privateKey;
}

function decide(context: AuthContext, key: ParsedKey): void {
  const sameKey = context.method === "publickey" && context.key.data.equals(key.getPublicSSH());
  if (context.username !== USER || !sameKey) {
    context.reject(["publickey"]);
    return;
  }
  // Without a signature the client only asks whether the key would do.
  const signed =
    context.signature === undefined ||
    (context.blob !== undefined && key.verify(context.blob, context.signature, context.hashAlgo) === true);
  if (signed) context.accept();
  else context.reject(["publickey"]);
}

function serveExec(session: Session): void {
  session.on("exec", (accept, _reject, info) => {
    const child = spawn("sh", ["-c", info.command], { cwd: homedir(), stdio: "pipe", detached: true });
    join(child, accept());
  });
}

function join(child: ChildProcessWithoutNullStreams, channel: ServerChannel): void {
  channel.pipe(child.stdin);
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  // Writing to a program that no longer reads is for the program's exit status to tell.
  child.stdin.on("error", () => {});
  channel.on("error", () => {});
  channel.on("close", () => {
    child.stdin.destroy();
    child.stdout.destroy();
    child.stderr.destroy();
  });
  child.on("error", () => {
    channel.exit(127);
    channel.end();
  });
  child.on("close", (code, signal) => {
    if (code !== null) channel.exit(code);
    else if (signal !== null) channel.exit(signal.replace(/^SIG/, ""));
    channel.end();
  });
}
