/** An in-process SSH server for what a real one does not do on demand: odd logins, dropped connections, counted bytes. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import ssh2, { type AuthContext, type ServerChannel } from "ssh2";

export interface TestServer {
  readonly port: number;
  /** As known_hosts has it: type and base64. */
  readonly hostKey: string;
  /** Commands that were started, as the client sent them. */
  readonly commands: string[];
  /** What clients asked for, in ssh's own words: `exec`, `pty`, `env`, an onward connection and so on. */
  readonly requests: string[];
  /** Bytes over all connections, both ways. */
  traffic(): { readonly received: number; readonly sent: number };
  /** Cuts every connection off without a goodbye. */
  drop(): void;
  /** While false, new connections are cut at once. */
  accepting(open: boolean): void;
  close(): Promise<void>;
}

export interface TestServerOptions {
  readonly authenticate?: (context: AuthContext) => void;
  /** Printed before each command's output, as a talkative start-up file would. */
  readonly noise?: string;
  /** Runs before each command in the same shell, as a start-up file does. */
  readonly startUp?: string;
  /** A client wants to be connected onward; it is given no answer. */
  readonly onForward?: () => void;
  /** Sees the bytes a client sends to a command's standard input. */
  readonly onInput?: (bytes: number, server: TestServer) => void;
}

/** Of a session, besides `exec`. */
const OTHER_REQUESTS = ["pty", "shell", "env", "x11", "auth-agent", "sftp", "subsystem"] as const;

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  // Not ed25519: ssh2 cannot read back one in 256 of those it makes.
  const keys = ssh2.utils.generateKeyPairSync("ecdsa", { bits: 256 });
  const sockets = new Set<Socket>();
  const children = new Set<ChildProcess>();
  const commands: string[] = [];
  const requests: string[] = [];
  const totals = { received: 0, sent: 0 };
  let open = true;

  const ssh = new ssh2.Server({ hostKeys: [keys.private] }, (session) => {
    session.on("error", () => {});
    session.on("authentication", options.authenticate ?? ((context) => context.accept()));
    session.on("tcpip", (accept, _reject, { destIP, destPort }) => {
      requests.push(`onward connection to ${destIP}:${destPort}`);
      if (options.onForward !== undefined) return options.onForward();
      const onward = connect(destPort, destIP);
      sockets.add(onward);
      onward.on("error", () => {});
      onward.on("close", () => sockets.delete(onward));
      onward.once("connect", () => {
        const channel = accept();
        channel.on("error", () => onward.destroy());
        channel.pipe(onward).pipe(channel);
      });
    });
    session.on("request", (_accept, _reject, name) => requests.push(`request ${name}`));
    session.on("session", (accept) => {
      const asked = accept();
      for (const name of OTHER_REQUESTS) {
        asked.on(name, (allow?: () => void) => {
          requests.push(name);
          allow?.();
        });
      }
      asked.on("exec", (acceptExec, _reject, info) => {
        requests.push("exec");
        commands.push(info.command);
        run(info.command, acceptExec());
      });
    });
  });
  const listener = createServer((socket) => {
    if (!open) return void socket.destroy();
    sockets.add(socket);
    socket.on("close", () => {
      sockets.delete(socket);
      totals.received += socket.bytesRead;
      totals.sent += socket.bytesWritten;
    });
    socket.setNoDelay(true);
    ssh.injectSocket(socket);
  });

  function run(command: string, channel: ServerChannel): void {
    if (options.noise !== undefined) channel.write(options.noise);
    const child = spawn("sh", ["-c", [options.startUp, command].filter(Boolean).join("\n")], {
      stdio: "pipe",
      detached: true,
    });
    children.add(child);
    channel.on("data", (data: Buffer) => {
      options.onInput?.(data.length, server);
      if (!child.stdin.write(data)) {
        channel.pause();
        child.stdin.once("drain", () => channel.resume());
      }
    });
    channel.on("end", () => child.stdin.end());
    child.stdin.on("error", () => channel.resume());
    child.stdout.pipe(channel, { end: false });
    child.stderr.pipe(channel.stderr, { end: false });
    channel.on("error", () => {});
    channel.on("close", () => {
      child.stdin.destroy();
      child.stdout.destroy();
      child.stderr.destroy();
    });
    child.on("close", (code) => {
      children.delete(child);
      channel.exit(code ?? 255);
      channel.end();
    });
  }

  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const hostKey = ssh2.utils.parseKey(keys.public);
  if (hostKey instanceof Error) throw hostKey;

  const server: TestServer = {
    port: address.port,
    hostKey: `ecdsa-sha2-nistp256 ${hostKey.getPublicSSH().toString("base64")}`,
    commands,
    requests,
    traffic() {
      const live = [...sockets];
      return {
        received: live.reduce((sum, socket) => sum + socket.bytesRead, totals.received),
        sent: live.reduce((sum, socket) => sum + socket.bytesWritten, totals.sent),
      };
    },
    drop() {
      for (const socket of sockets) socket.destroy();
    },
    accepting(now) {
      open = now;
    },
    async close() {
      server.drop();
      for (const child of children) child.kill("SIGKILL");
      listener.close();
      await once(listener, "close");
    },
  };
  return server;
}
