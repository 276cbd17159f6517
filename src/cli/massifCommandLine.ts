/** The command `massif`: what of a massif.out file is to be printed. */
import { parseArgs } from "node:util";
import type { View } from "../massif/frameTree.ts";
import { oneOf, strictly, usageError } from "./options.ts";

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
  const { args, pair } = takePair(argv);
  const { values, positionals } = strictly(() =>
    parseArgs({
      args,
      allowPositionals: true,
      options: {
        json: { type: "boolean" },
        folded: { type: "boolean" },
        flame: { type: "string" },
        snapshot: { type: "string" },
        "all-frames": { type: "boolean" },
        direction: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    }),
  );
  if (values.help) return undefined;
  const [file, ...more] = positionals;
  if (file === undefined) throw usageError("Say which file: jetson-memprof massif massif.out.4242");
  if (more.length > 0) throw usageError(`One file at a time, please: "${more[0]}" is one too many.`);
  if (pair !== undefined && values.snapshot !== undefined)
    throw usageError("Give either --snapshot or --diff, not both.");
  const [before, after] = pair ?? [];
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

/** Takes out `--diff A B`; no other option has two values. */
function takePair(argv: readonly string[]): { readonly args: string[]; readonly pair?: readonly [string, string] } {
  const at = argv.indexOf("--diff");
  if (at < 0) return { args: [...argv] };
  const [before, after] = argv.slice(at + 1);
  if (before === undefined || after === undefined) {
    throw usageError("The option --diff needs two snapshots after it: the earlier one and the later one.");
  }
  return { args: [...argv.slice(0, at), ...argv.slice(at + 3)], pair: [before, after] };
}

function snapshotChoice(option: string, text: string): SnapshotChoice {
  if (text === "peak" || text === "last") return text;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usageError(`${option} takes the number of a snapshot, "peak" or "last", not "${text}".`);
}

interface OutputOptions {
  readonly json?: boolean;
  readonly folded?: boolean;
  readonly flame?: string;
  readonly "all-frames"?: boolean;
  readonly direction?: string;
}

function outputOf(options: OutputOptions): MassifCommand["output"] {
  const { json, folded, flame, "all-frames": allFrames, direction } = options;
  if ([json, folded, flame].filter((choice) => choice !== undefined).length > 1) {
    throw usageError("Give one of --json, --folded and --flame, not several.");
  }
  if (!folded && flame === undefined) {
    if (allFrames || direction !== undefined) {
      throw usageError("--all-frames and --direction go with --folded or --flame: the tables are of all stacks.");
    }
    return { kind: json ? "json" : "tables" };
  }
  const view = {
    allFrames: allFrames ?? false,
    direction: oneOf("--direction", direction ?? "callers-first", ["callers-first", "allocators-first"]),
  };
  return flame === undefined ? { kind: "folded", view } : { kind: "flame", view, path: flame };
}
