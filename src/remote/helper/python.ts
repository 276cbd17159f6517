/** Finding the interpreter on the board that will run the script. */

import { printableLines } from "../../profile/text.ts";
import { UserError } from "../../profile/userError.ts";
import { type Connection, lossOf } from "../transport/transport.ts";
import { collectTail, endedEarly, execUntil, rejectAfter, rejectOnAbort } from "./callHelper.ts";

export interface BoardPython {
  /** A path or name that starts it, as the board's shell resolved it. */
  readonly executable: string;
  readonly version: string;
}

const CANDIDATES = ["python3", ...[13, 12, 11, 10, 9, 8, 7, 6].map((minor) => `python3.${minor}`), "python"];
const OUTPUT_LIMIT = 64 * 1024;
/** Every candidate may have to be started from a slow card. */
const LIMIT = 60_000;

/**
 * For each candidate prints `python <version> <path>` and stops at the first that will do. `~` and folders of virtual
 * environments are resolved there, where they mean something.
 */
const SEARCH = `
for candidate do
  case $candidate in "~") candidate=$HOME ;; "~/"*) candidate=$HOME/\${candidate#"~/"} ;; esac
  if [ -d "$candidate" ]; then
    if [ -x "$candidate/bin/python3" ]; then candidate=$candidate/bin/python3; else candidate=$candidate/bin/python; fi
  fi
  path=$(command -v -- "$candidate" 2>/dev/null) || continue
  case $path in /*) ;; *) continue ;; esac
  version=$("$path" -E -s -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' </dev/null 2>/dev/null) || continue
  printf 'python %s %s\\n' "$version" "$path"
  case $version in 3.[6-9].*|3.[1-9][0-9].*) exit 0 ;; esac
done
exit 0
`;

/** `setting` is a name, a path, or the folder of a virtual environment; undefined: look for one. */
export async function findPython(
  connection: Connection,
  setting: string | undefined,
  signal: AbortSignal,
): Promise<BoardPython> {
  const wanted = setting?.trim();
  const candidates = wanted === undefined || wanted === "" ? CANDIDATES : [wanted];
  const process = await execUntil(connection, ["sh", "-c", SEARCH, "sh", ...candidates], signal);
  const ended = new AbortController();
  const stderr = collectTail(process);
  try {
    process.stdin.end();
    const late = rejectAfter(LIMIT, connection.name, "Python was looked for", ended.signal);
    late.catch(() => {});
    const output = await Promise.race([readStart(process.stdout), late, rejectOnAbort(signal, ended.signal)]);
    return choose(output, wanted, connection.name);
  } catch (error) {
    process.kill();
    signal.throwIfAborted();
    if (error instanceof UserError) throw error;
    throw (await lossOf(connection)) ?? endedEarly(connection.name, "Python was looked for", stderr(), undefined);
  } finally {
    ended.abort();
  }
}

/** The first `OUTPUT_LIMIT` bytes or so, as text. */
async function readStart(stream: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream) {
    pieces.push(piece);
    size += piece.length;
    if (size > OUTPUT_LIMIT) break;
  }
  return Buffer.concat(pieces).toString("utf8");
}

function choose(output: string, wanted: string | undefined, boardName: string): BoardPython {
  const found = [...output.matchAll(/^python (\d+\.\d+\.\d+) (\/.*)$/gm)].map((match) => ({
    version: match[1] ?? "",
    executable: match[2] ?? "",
  }));
  const good = found.find(({ version }) => isSupported(version));
  if (good !== undefined) return good;
  const old = found[0];
  if (old !== undefined) {
    throw new UserError(
      "python-too-old",
      `The Python found on ${boardName} is ${old.version} (${printableLines(old.executable)}); 3.6 or newer is needed.`,
      "Install a newer one on the board (sudo apt install python3), or name it in the setting jetsonMemprof.python (in a terminal: --python).",
    );
  }
  throw new UserError(
    "no-python",
    wanted === undefined || wanted === ""
      ? `No Python was found on ${boardName}.`
      : `The Python "${printableLines(wanted)}" does not run on ${boardName}.`,
    wanted === undefined || wanted === ""
      ? "Install it on the board: sudo apt install python3"
      : "Correct the setting jetsonMemprof.python (in a terminal: --python), or leave it empty to have one found; sudo apt install python3 installs one.",
  );
}

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major === 3 && minor >= 6;
}
