/** The helper on the board, checked there and ready for commands; it is sent only where it is missing or damaged. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { printableLines } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { phrase, say, t } from "../../words/t.ts";
import type { Connection } from "../transport/transport.ts";
import type { HelperBundle } from "./bundle.ts";
import { ended, judged, readLine } from "./callHelper.ts";
import { isSupported, readPython, tooOld, withPython } from "./python.ts";
import { type ServingHelper, servingHelper } from "./serving.ts";
import { answered, startTalk, write } from "./talk.ts";
import { type BootstrapReply, bootstrapReply } from "./wire.ts";

const QUICK = 60_000;
/** A quarter of the bytes, over a link that may be slow. */
const packed: (data: Buffer) => Promise<Buffer> = promisify(gzip);

/** The helper as it lies on one board. */
export interface Helper {
  /** The board folder with `~` expanded, absolute. */
  readonly root: string;
  readonly python: string;
  /** The command line of one of the helper's commands. */
  argv(command: string): readonly string[];
}

export interface Installation {
  /** Interpreter on the board; undefined: look for one. */
  readonly python: string | undefined;
  /** On the board, `~` allowed. */
  readonly boardFolder: string;
  readonly bundle: HelperBundle;
}

export interface Installed {
  readonly helper: Helper;
  /** The process that checked the helper, and now takes its commands. */
  readonly serving: ServingHelper;
  /** What of the helper that lay on the board was not as it was sent; undefined where all was, or none was there. */
  readonly replaced: string | undefined;
}

const PURPOSE = phrase("the helper was installed");

/** The board checks every file of the helper; the archive is sent where it is missing or differs. */
export async function installHelper(
  connection: Connection,
  { python: setting, boardFolder, bundle }: Installation,
  signal: AbortSignal,
): Promise<Installed> {
  const { name } = connection;
  const argv = withPython(setting, bundle.bootstrap, [boardFolder, bundle.digest]);
  const talk = await startTalk(connection, argv, signal);
  const search = { purpose: t("Python was looked for"), signal, limit: QUICK };
  const { python, line } = await answered(talk, search, readPython(talk.reader, setting, name));
  const judge = (said: string): BootstrapReply => judged(said, name, { purpose: say(PURPOSE), reply: bootstrapReply });
  const first = async (): Promise<BootstrapReply> => {
    if (line === undefined) throw await ended(talk, say(PURPOSE));
    const reply = judge(line);
    refuseUnsupported(reply, name);
    return reply;
  };
  let reply = await answered(talk, { purpose: say(PURPOSE), signal, limit: QUICK }, first());
  if (reply.helper === null) {
    const second = async (): Promise<BootstrapReply> => {
      const archive = reply.gzip ? await packed(bundle.archive) : bundle.archive;
      // Where nobody reads any more, the reply says why.
      const sending = write(talk.process.stdin, `${archive.length}\n`).then(() => write(talk.process.stdin, archive));
      sending.catch(() => {});
      return judge(await readLine(talk, say(PURPOSE)));
    };
    reply = await answered(talk, { purpose: say(PURPOSE), signal }, second());
  }
  const { helper, root } = reply;
  if (helper === null) {
    talk.process.kill();
    throw new UserError(
      "helper-not-installed",
      t("The helper could not be installed in {0} on {1}.", shown(root), name),
      t("Check that the folder can be written to and has free space."),
    );
  }
  const { executable } = python;
  return {
    helper: {
      root,
      python: executable,
      argv: (command) => [executable, "-I", "-B", `${helper}/board.py`, command],
    },
    serving: servingHelper(talk),
    replaced: reply.replaced ?? undefined,
  };
}

function refuseUnsupported(reply: BootstrapReply, boardName: string): void {
  const { executable, implementation, version } = reply.python;
  if (reply.system !== "Linux") {
    throw new UserError(
      "not-linux",
      t("{0} runs {1}; scripts can be profiled on Linux only.", boardName, shown(reply.system)),
      t("Choose a Jetson board or another Linux machine."),
    );
  }
  if (implementation !== "cpython") {
    throw new UserError(
      "python-unsupported",
      t(
        "The Python on {0} is {1} {2}; the standard Python (CPython) is needed.",
        boardName,
        shown(implementation),
        version.join("."),
      ),
      t("Name another interpreter in the setting jetsonMemprof.python (in a terminal: --python)."),
    );
  }
  if (!isSupported(version.join("."))) {
    throw tooOld({ executable: shown(executable), version: version.join(".") }, boardName);
  }
}

function shown(text: string): string {
  return printableLines(text).slice(0, 200);
}
