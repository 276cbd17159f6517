/** The helper on the board, ready to be called: bootstrap first, the archive only where it is missing. */
import type * as v from "valibot";
import { printableLines } from "../../profile/text.ts";
import { UserError } from "../../profile/userError.ts";
import type { Connection } from "../transport/transport.ts";
import type { HelperBundle } from "./bundle.ts";
import { callHelper, write } from "./callHelper.ts";
import type { BoardPython } from "./python.ts";
import { type BootstrapReply, bootstrapReply } from "./wire.ts";

const QUICK = 60_000;

/** The helper as it lies on one board. */
export interface Helper {
  /** The board folder with `~` expanded, absolute. */
  readonly root: string;
  readonly python: string;
  /** The command line of one of the helper's commands. */
  argv(command: string): readonly string[];
}

export async function installHelper(
  connection: Connection,
  python: BoardPython,
  boardFolder: string,
  bundle: HelperBundle,
  signal: AbortSignal,
): Promise<Helper> {
  const ask = (archive: Buffer | null): Promise<BootstrapReply> =>
    callHelper(connection, {
      purpose: "the helper was installed",
      argv: [python.executable, "-E", "-s", "-B", "-c", bundle.bootstrap],
      request: { root: boardFolder, digest: bundle.digest, archive_size: archive?.length ?? null },
      reply: bootstrapReply as v.GenericSchema<unknown, BootstrapReply>,
      signal,
      ...(archive === null ? { limit: QUICK } : { body: (stdin) => write(stdin, archive) }),
    });

  let reply = await ask(null);
  refuseUnsupported(reply, connection.name);
  if (reply.helper === null) reply = await ask(bundle.archive);
  const { helper, root } = reply;
  if (helper === null) {
    throw new UserError(
      "helper-not-installed",
      `The helper could not be installed in ${shown(root)} on ${connection.name}.`,
      "Check that the folder can be written to and has free space.",
    );
  }
  return {
    root,
    python: python.executable,
    argv: (command) => [python.executable, "-E", "-s", "-B", `${helper}/board.py`, command],
  };
}

function refuseUnsupported(reply: BootstrapReply, boardName: string): void {
  const { implementation, version } = reply.python;
  if (reply.system !== "Linux") {
    throw new UserError(
      "not-linux",
      `${boardName} runs ${shown(reply.system)}; scripts can be profiled on Linux only.`,
      "Choose a Jetson board or another Linux machine.",
    );
  }
  if (implementation !== "cpython") {
    throw new UserError(
      "python-unsupported",
      `The Python on ${boardName} is ${shown(implementation)} ${version.join(".")}; the standard Python (CPython) is needed.`,
      "Name another interpreter in the setting jetsonMemprof.python (in a terminal: --python).",
    );
  }
}

function shown(text: string): string {
  return printableLines(text).slice(0, 200);
}
