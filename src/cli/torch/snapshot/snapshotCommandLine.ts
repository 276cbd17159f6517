/** The command `snapshot`: which snapshot of PyTorch's allocator, and which moment of it. */

import { defined } from "../../../profile/defined.ts";
import { t } from "../../../words/t.ts";
import { readWords, usageError } from "../../commandLine/options.ts";
import { SNAPSHOT } from "../../commandLine/reference/reading.ts";

/** After so many events, or the one that is meant by a word. */
export type MomentChoice = "max" | "end" | "oom" | number;

export interface SnapshotCommand {
  readonly kind: "snapshot";
  /** A file, or a run as `show` takes it. */
  readonly subject: string;
  readonly project?: string;
  /** The same of another snapshot, which is compared with it. */
  readonly compare?: string;
  readonly at: MomentChoice;
  readonly device?: number;
  /** Lines to print. */
  readonly top: number;
  readonly json: boolean;
}

/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseSnapshot(argv: readonly string[]): SnapshotCommand | undefined {
  const { values, positionals } = readWords(argv, SNAPSHOT.options);
  if (values.help) return undefined;
  const [subject, ...more] = positionals;
  if (subject === undefined) throw usageError(t('Name a snapshot: a file, or a run\'s folder, name or "last".'));
  if (more.length > 0) throw usageError(t('One snapshot at a time, please: "{0}" is one too many.', more[0] ?? ""));
  return {
    kind: "snapshot",
    subject,
    at: momentChoice(values.at ?? "max"),
    top: count("--top", values.top ?? "15"),
    json: values.json ?? false,
    ...defined({
      compare: values.compare,
      device: values.device === undefined ? undefined : count("--device", values.device),
      project: values.project,
    }),
  };
}

function momentChoice(text: string): MomentChoice {
  if (text === "max" || text === "end" || text === "oom") return text;
  if (isCount(text)) return Number(text);
  throw usageError(t('--at takes "max", "end", "oom" or a number of events, not "{0}".', text));
}

function count(option: string, text: string): number {
  if (isCount(text)) return Number(text);
  throw usageError(t('{0} takes a number, not "{1}".', option, text));
}

function isCount(text: string): boolean {
  return /^\d{1,9}$/.test(text);
}
