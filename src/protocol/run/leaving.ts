/** What of a project is about to go to a board and what stays here, as a person is shown it before. */
import { formatBytes, formatCount } from "../../profile/text/format.ts";
import { printable } from "../../profile/text/text.ts";
import { type Phrase, phrase, say, t } from "../../words/t.ts";

/** `never`: version control, environments and caches. The others say whose rule it was. */
export type StayReason = "never" | "credential" | "setting" | "jetsonignore" | "gitignore";

export interface Leaving {
  readonly projectFolder: string;
  /** The board as messages name it. */
  readonly to: string;
  readonly files: number;
  readonly bytes: number;
  /** Files and folders directly in the project's, the heaviest first; a folder's path ends with `/`. */
  readonly heaviest: readonly Part[];
  readonly stays: ReadonlyMap<StayReason, readonly string[]>;
  /** Files and links that cannot be sent, each with its reason; whole sentences. */
  readonly notes: readonly string[];
}

interface Part {
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
}

interface LeavingFile {
  readonly path: string;
  readonly size: number;
}

/** Of each list, in what is shown. */
const MOST_NAMED = 5;
const MOST_NAME = 100;

/** From the most to the least surprising. */
const REASONS: Readonly<Record<StayReason, Phrase>> = {
  credential: phrase("credentials, by their names"),
  setting: phrase("named in the setting jetsonMemprof.exclude or by --exclude"),
  jetsonignore: phrase("named in .jetsonignore"),
  gitignore: phrase("named in .gitignore"),
  never: phrase("version control, environments and caches"),
};

/** @param files those that are to be sent */
export function leavingOf(
  files: readonly LeavingFile[],
  rest: Pick<Leaving, "projectFolder" | "to" | "stays" | "notes">,
): Leaving {
  const parts = new Map<string, Part>();
  for (const { path, size } of files) {
    const top = path.slice(0, path.indexOf("/") + 1) || path;
    const part = parts.get(top) ?? { path: top, files: 0, bytes: 0 };
    parts.set(top, { path: top, files: part.files + 1, bytes: part.bytes + size });
  }
  const heaviest = [...parts.values()].sort((a, b) => b.bytes - a.bytes);
  return { ...rest, files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0), heaviest };
}

/** `12 files (3.4 MiB) of /home/me/lenet`, to whom it goes said by the caller. */
export function amountText({ files, bytes, projectFolder }: Leaving): string {
  return files === 1
    ? t("1 file ({0}) of {1}", formatBytes(bytes), shown(projectFolder))
    : t("{0} files ({1}) of {2}", formatCount(files), formatBytes(bytes), shown(projectFolder));
}

/** A line for the heaviest, then one for each reason why something stays. */
export function leavingLines({ heaviest, stays, notes }: Leaving): readonly string[] {
  const most = some(heaviest.map(partText));
  const reasons = (Object.keys(REASONS) as StayReason[]).flatMap((why) => {
    const paths = stays.get(why);
    return paths === undefined ? [] : [t("{0}: {1}", say(REASONS[why]), some(paths.map(shown)))];
  });
  return [
    ...(heaviest.length === 0 ? [] : [t("The largest: {0}", most)]),
    ...(reasons.length === 0 ? [] : [t("What stays here, and why:"), ...reasons.map((line) => `• ${line}`)]),
    ...notes.map((note) => `• ${printable(note)}`),
  ];
}

function partText({ path, files, bytes }: Part): string {
  return path.endsWith("/") && files > 1
    ? t("{0} {1} in {2} files", shown(path), formatBytes(bytes), formatCount(files))
    : t("{0} {1}", shown(path), formatBytes(bytes));
}

function some(texts: readonly string[]): string {
  const more = texts.length - MOST_NAMED;
  return [...texts.slice(0, MOST_NAMED), ...(more > 0 ? [t("{0} more", formatCount(more))] : [])].join(t(", "));
}

const shown = (path: string): string => printable(path.length > MOST_NAME ? `…${path.slice(-MOST_NAME)}` : path);
