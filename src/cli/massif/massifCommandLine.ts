/** The command `massif`: what of a massif.out file is to be printed. */
import type { View } from "../../massif/tree/frameTree.ts";
import { t } from "../../words/t.ts";
import { oneOf, readWords, usageError } from "../commandLine/options.ts";
import type { Values } from "../commandLine/reference/model.ts";
import { MASSIF } from "../commandLine/reference/reading.ts";

/** A snapshot by its number, or the one that is meant by a word. */
export type SnapshotChoice = "peak" | "last" | number;

export interface MassifCommand {
  readonly kind: "massif";
  readonly file: string;
  readonly subject:
    | { readonly kind: "snapshot"; readonly snapshot: SnapshotChoice }
    | { readonly kind: "difference"; readonly before: SnapshotChoice; readonly after: SnapshotChoice };
  readonly output:
    | { readonly kind: "tables" | "json" }
    | { readonly kind: "folded"; readonly view: View }
    | { readonly kind: "flame"; readonly view: View; readonly path: string };
}

/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseMassif(argv: readonly string[]): MassifCommand | undefined {
  const { values, positionals } = readWords(argv, MASSIF.options);
  if (values.help) return undefined;
  const [file, ...more] = positionals;
  if (file === undefined) throw usageError(t("Name a file: jetson-memprof massif massif.out.4242"));
  if (more.length > 0) throw usageError(t('One file at a time, please: "{0}" is one too many.', more[0] ?? ""));
  if (values.diff !== undefined && values.snapshot !== undefined)
    throw usageError(t("Give either --snapshot or --diff, not both."));
  const [before, after] = values.diff ?? [];
  return {
    kind: "massif",
    file,
    subject:
      before !== undefined && after !== undefined
        ? { kind: "difference", before: snapshotChoice("--diff", before), after: snapshotChoice("--diff", after) }
        : { kind: "snapshot", snapshot: snapshotChoice("--snapshot", values.snapshot ?? "peak") },
    output: outputOf(values),
  };
}

function snapshotChoice(option: string, text: string): SnapshotChoice {
  if (text === "peak" || text === "last") return text;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usageError(t('{0} takes the number of a snapshot, "peak" or "last", not "{1}".', option, text));
}

function outputOf(options: Values<typeof MASSIF.options>): MassifCommand["output"] {
  const { json, folded, flame, "all-frames": allFrames, direction } = options;
  if ([json, folded, flame].filter((choice) => choice !== undefined).length > 1) {
    throw usageError(t("Give one of --json, --folded and --flame, not several."));
  }
  if (!folded && flame === undefined) {
    if (allFrames || direction !== undefined) {
      throw usageError(t("--all-frames and --direction go with --folded or --flame: the tables are of all stacks."));
    }
    return { kind: json ? "json" : "tables" };
  }
  const view = {
    allFrames: allFrames ?? false,
    direction: oneOf("--direction", direction ?? "callers-first", MASSIF.options.direction.choices),
  };
  return flame === undefined ? { kind: "folded", view } : { kind: "flame", view, path: flame };
}
