/** This machine as the board: for an editor that runs on the Jetson itself. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import type { Connection, ExitStatus, RemoteProcess } from "./transport.ts";

export function openLocal(): Connection {
  const children = new Set<ChildProcessWithoutNullStreams>();
  let settle: (reason: UserError | undefined) => void = () => {};
  const closed = new Promise<UserError | undefined>((resolve) => {
    settle = resolve;
  });
  return {
    kind: "local",
    name: t("this machine"),
    closed,
    async exec(argv) {
      const child = await start(argv);
      children.add(child);
      child.once("close", () => children.delete(child));
      return asRemoteProcess(child);
    },
    close() {
      for (const child of children) child.kill("SIGTERM");
      settle(undefined);
    },
  };
}

async function start(argv: readonly string[]): Promise<ChildProcessWithoutNullStreams> {
  const [program = "", ...rest] = argv;
  // A session of its own: Ctrl-C in a terminal is the caller's to handle, not the helper's.
  const child = spawn(program, rest, { stdio: "pipe", detached: true, windowsHide: true });
  try {
    await once(child, "spawn");
  } catch (error) {
    throw new UserError(
      "exec-failed",
      t("{0} could not be started on this machine: {1}", program, (error as Error).message),
      t("Check the setting jetsonMemprof.python (in a terminal: --python)."),
      { cause: error },
    );
  }
  // Whoever reads or writes is told there; with nobody at it, a broken stream must not end this process.
  for (const emitter of [child, child.stdin, child.stdout, child.stderr]) emitter.on("error", () => {});
  return child;
}

function asRemoteProcess(child: ChildProcessWithoutNullStreams): RemoteProcess {
  const exit = new Promise<ExitStatus>((resolve) => {
    child.once("close", (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
  });
  return { stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, exit, kill: () => child.kill("SIGTERM") };
}
