/** Finding the interpreter on the board that will run the script, and starting something with it. */
import { printable, printableLines } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import type { ByteReader } from "./byteReader.ts";

export interface BoardPython {
  /** A path or name that starts it, as the board's shell resolved it. */
  readonly executable: string;
  readonly version: string;
}

const CANDIDATES = ["python3", ...[15, 14, 13, 12, 11, 10, 9, 8, 7, 6].map((minor) => `python3.${minor}`), "python"];
const OUTPUT_LIMIT = 64 * 1024;

/**
 * For each candidate prints `python <version> <path>`; the first that will do is started with what stands before `--`.
 * `~` and folders of virtual environments are resolved there, where they mean something. A version that a link's target
 * is named after (`python3 -> python3.6`) is taken for it, which saves starting an interpreter to ask it; what is
 * started says its own. Shims of pyenv and asdf are asked: they bear the names of versions that may not be there, and
 * each start of one costs as much as several of the interpreter, which is started itself from then on.
 */
const SEARCH = `
program=$1 first=$2 second=$3
shift 3
for candidate do
  case $candidate in "~") candidate=$HOME ;; "~/"*) candidate=$HOME/\${candidate#"~/"} ;; esac
  if [ -d "$candidate" ]; then
    if [ -x "$candidate/bin/python3" ]; then candidate=$candidate/bin/python3; else candidate=$candidate/bin/python; fi
  fi
  path=$(command -v -- "$candidate" 2>/dev/null) || continue
  case $path in /*) ;; *) continue ;; esac
  case $path in */shims/*) real= ;; *) real=$(readlink -f -- "$path" 2>/dev/null) ;; esac
  case $real in
    */python3.[6-9]|*/python3.[1-9][0-9]) version=\${real##*/python} ;;
    *)
      told=$("$path" -E -s -c 'import sys; print("%d.%d.%d " % sys.version_info[:3] + sys.executable)' </dev/null 2>/dev/null) || continue
      version=\${told%% *}
      case $path in */shims/*) case \${told#* } in /*) path=\${told#* } ;; esac ;; esac
      ;;
  esac
  printf 'python %s %s\\n' "$version" "$path"
  case $version in 3.[6-9]|3.[6-9].*|3.[1-9][0-9]|3.[1-9][0-9].*) exec "$path" -I -B -c "$program" "$first" "$second" ;; esac
done
exit 0
`;

/**
 * Starts `program`, a text in Python, on the board with the interpreter that `setting` names: a name, a path, or the
 * folder of a virtual environment; undefined: one is looked for. What it prints begins with what `readPython` reads.
 */
export function withPython(
  setting: string | undefined,
  program: string,
  arguments_: readonly [string, string],
): readonly string[] {
  // -I: no module in the folder that the login shell starts in, and none of the user's, is imported.
  return ["sh", "-c", SEARCH, "sh", program, ...arguments_, ...candidates(setting)];
}

function candidates(setting: string | undefined): readonly string[] {
  const wanted = setting?.trim();
  return wanted === undefined || wanted === "" ? CANDIDATES : [wanted];
}

export interface StartedPython {
  readonly python: BoardPython;
  /** The first line of what was started with it; undefined where it said nothing. */
  readonly line: string | undefined;
}

/** Rejects with a `UserError` where none was found. */
export async function readPython(
  reader: ByteReader,
  setting: string | undefined,
  boardName: string,
): Promise<StartedPython> {
  let said = "";
  let line = await nextLine(reader);
  while (line?.startsWith("python ")) {
    said += `${line}\n`;
    line = said.length < OUTPUT_LIMIT ? await nextLine(reader) : undefined;
  }
  return { python: choose(said, setting?.trim(), boardName), line };
}

/** undefined where the output ends, breaks off, or goes on without end. */
async function nextLine(reader: ByteReader): Promise<string | undefined> {
  try {
    return await reader.line(OUTPUT_LIMIT);
  } catch (error) {
    if (error instanceof UserError) throw error;
    return undefined;
  }
}

function choose(output: string, wanted: string | undefined, boardName: string): BoardPython {
  // A path that cannot be shown as it is would name another program than the one that is started.
  const found = [...output.matchAll(/^python ([1-9]\d{0,8}\.\d{1,9}(?:\.\d{1,9})?) (\/.*)$/gm)]
    .map((match) => ({ version: match[1] ?? "", executable: match[2] ?? "" }))
    .filter(({ executable }) => printable(executable) === executable);
  const good = found.find(({ version }) => isSupported(version));
  if (good !== undefined) return good;
  const old = found[0];
  if (old !== undefined) throw tooOld(old, boardName);
  throw new UserError(
    "no-python",
    wanted === undefined || wanted === ""
      ? t("No Python was found on {0}.", boardName)
      : t('The Python "{0}" does not run on {1}.', printableLines(wanted), boardName),
    wanted === undefined || wanted === ""
      ? t("Install it on the board: sudo apt install python3")
      : t(
          "Correct the setting jetsonMemprof.python (in a terminal: --python), or leave it empty to have one found; sudo apt install python3 installs one.",
        ),
  );
}

export function tooOld({ version, executable }: BoardPython, boardName: string): UserError {
  return new UserError(
    "python-too-old",
    t("The Python found on {0} is {1} ({2}); 3.6 or newer is needed.", boardName, version, executable.slice(0, 300)),
    t(
      "Install a newer one on the board (sudo apt install python3), or name it in the setting jetsonMemprof.python (in a terminal: --python).",
    ),
  );
}

export function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major === 3 && minor >= 6;
}
