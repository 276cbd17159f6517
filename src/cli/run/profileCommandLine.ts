/** What was typed after `profile`: options of ours among those of the script. */

import { defined } from "../../profile/defined.ts";
import { HEAP_DEFAULTS } from "../../profile/heapDefaults.ts";
import type { MetricChoice } from "../../profile/lines/columns.ts";
import type { LinePlace } from "../../profile/lines/totals.ts";
import { MASSIF_DEFAULTS } from "../../profile/massifDefaults.ts";
import type { EngineName } from "../../profile/model.ts";
import type { MassifSettings } from "../../protocol/run/massifRequest.ts";
import type { HeapRequest, TorchRequest } from "../../protocol/run/run.ts";
import type { RunGroup } from "../../runs/model.ts";
import { t } from "../../words/t.ts";
import { amount, metricChoice, nextOf, oneOf, ownWord, readOptions, usageError } from "../commandLine/options.ts";
import type { Values } from "../commandLine/reference/model.ts";
import {
  ENGINES,
  HEAP_OPTIONS,
  MASSIF_OPTIONS,
  PROFILE_OPTIONS,
  TORCH_OPTIONS,
} from "../commandLine/reference/profile.ts";
import { torchRequest } from "./torchOptions.ts";

export type Entry =
  | { readonly kind: "script"; readonly path: string }
  | { readonly kind: "module"; readonly name: string };

export interface ProfileCommand {
  readonly kind: "profile";
  readonly entry: Entry;
  readonly args: readonly string[];
  /** The launcher of the script, and its arguments. */
  readonly launch?: readonly string[];
  readonly target: string;
  /** A container or an image there, as typed. */
  readonly inside?: string;
  /** For the engine's `run`. */
  readonly containerOptions?: readonly string[];
  readonly python?: string;
  readonly boardFolder?: string;
  readonly engine: EngineName;
  readonly exact: boolean;
  readonly accelerator: boolean;
  /** Present when `engine` is `massif`. */
  readonly massif?: MassifChoices;
  readonly torch?: TorchRequest;
  readonly heap?: HeapRequest;
  /** One of several runs that are made together. */
  readonly group?: RunGroup;
  readonly excludes: readonly string[];
  /** Variables for the script. */
  readonly environment: Readonly<Record<string, string>>;
  readonly project?: string;
  readonly out?: string;
  /** Whose figures are printed. */
  readonly metric: MetricChoice;
  readonly json: boolean;
  readonly quiet: boolean;
}

export interface MassifChoices extends MassifSettings {
  /** As typed, a path and a line number; empty: the heaviest of the last run. */
  readonly lines: readonly LinePlace[];
  /** Starts the run whatever the preflight finds. */
  readonly anyway: boolean;
}

interface ProfileArguments {
  /** Ours, each option and its value in one word. */
  readonly ours: readonly string[];
  readonly entry?: Entry;
  readonly scriptArgs: readonly string[];
  readonly launch?: readonly string[];
  readonly help: boolean;
}

/** What follows `--launch`: all of it is the launcher's and the script's. @throws UserError `usage` */
function launched(words: readonly string[]): Pick<ProfileArguments, "entry" | "scriptArgs" | "launch"> {
  const at = words.findIndex((word) => /\.py$/i.test(word));
  const script = words[at];
  if (at < 1 || script === undefined)
    throw usageError(
      t(
        "--launch takes the launcher with its options and then the script: --launch torchrun --nproc-per-node 2 train.py",
      ),
    );
  return { launch: words.slice(0, at), entry: { kind: "script", path: script }, scriptArgs: words.slice(at + 1) };
}

/** Ours are taken out wherever they stand until `--`; the rest after the script is the script's, in its order. */
function splitArguments(argv: readonly string[]): ProfileArguments {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const words = argv.slice(0, end);
  const launch = words.indexOf("--launch");
  if (launch >= 0) {
    const { ours, entry, help } = splitArguments(words.slice(0, launch));
    if (entry !== undefined)
      throw usageError(t("Only options stand before --launch; the script stands after the launcher."));
    return help ? { ours, scriptArgs: [], help } : { ours, help, ...launched(argv.slice(launch + 1)) };
  }
  const ours: string[] = [];
  const others: string[] = [];
  let help = false;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const own = ownWord(word, PROFILE_OPTIONS);
    if (own.kind === "needs-value") ours.push(`${word}=${nextOf(words, word)}`);
    else if (own.kind === "whole") ours.push(own.word);
    else if (others.length > 0 || !word.startsWith("-") || word === "-m") others.push(word);
    else if (word === "--help" || word === "-h") help = true;
    else ours.push(word);
  }
  const [first, ...rest] = [...others, ...argv.slice(end + 1)];
  if (first === undefined) return { ours, scriptArgs: [], help };
  if (others[0] !== "-m") return { ours, entry: { kind: "script", path: first }, scriptArgs: rest, help };
  const [name = "", ...scriptArgs] = rest;
  return { ours, entry: { kind: "module", name }, scriptArgs, help };
}

/** @returns undefined where help was asked for
 * @throws UserError `usage` */
export function parseProfile(argv: readonly string[]): ProfileCommand | undefined {
  const { ours, entry, scriptArgs, launch, help } = splitArguments(argv);
  if (help) return undefined;
  const values = readOptions(ours, PROFILE_OPTIONS);
  if (entry === undefined) throw usageError(t("Name a script to profile: jetson-memprof profile SCRIPT --target …"));
  if (entry.kind === "module" && !/^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)*$/u.test(entry.name)) {
    throw usageError(t('"{0}" after -m is not the name of a Python module.', entry.name));
  }
  if (values.target === undefined) {
    throw usageError(t("Name a target to run the script on: --target user@host, --target local or --target loopback."));
  }
  const engine = oneOf("--engine", values.engine ?? "line", ENGINES);
  const misplaced = Object.keys(MASSIF_OPTIONS).find(
    (option) => option in values && !(option === "massif-line" && "native-stacks" in values),
  );
  if (engine !== "massif" && misplaced === "massif-line")
    throw usageError(t("--massif-line needs --engine massif or --native-stacks."));
  if (engine !== "massif" && misplaced !== undefined) throw usageError(t("--{0} needs --engine massif.", misplaced));
  const lineOptions = Object.keys({ ...TORCH_OPTIONS, ...HEAP_OPTIONS });
  const unfit = launch === undefined ? lineOptions.find((option) => option in values) : "launch";
  if (engine !== "line" && unfit !== undefined)
    throw usageError(t("--{0} needs the line engine, not {1}.", unfit, engine));
  const torch = torchRequest(values);
  return {
    kind: "profile",
    entry,
    args: scriptArgs,
    target: values.target,
    engine,
    ...(engine === "massif" ? { massif: massifChoices(values) } : {}),
    ...defined({ torch, heap: heapRequest(values), launch }),
    exact: values.exact ?? false,
    accelerator: !(values["no-accelerator"] ?? false),
    excludes: values.exclude ?? [],
    environment: environmentOf(values.env ?? []),
    metric: metricChoice(values.metric),
    json: values.json ?? false,
    quiet: values.quiet ?? false,
    ...defined({
      inside: values.in,
      containerOptions: values["container-option"],
      python: values.python,
      boardFolder: values["board-folder"],
      project: values.project,
      out: values.out,
    }),
  };
}

function heapRequest(values: Values<typeof HEAP_OPTIONS & typeof MASSIF_OPTIONS>): HeapRequest | undefined {
  const text = values["native-stacks"];
  if (text === undefined) return undefined;
  const { sampleKiB: fallback, leastKiB: least, mostKiB: most } = HEAP_DEFAULTS;
  return { mean: amount("--native-stacks", text, { least, most, fallback }) * 1024, lines: linesNamed(values) };
}

/** Of `NAME=VALUE` words. @throws UserError `usage` */
export function environmentOf(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? [];
      if (name === undefined || value === undefined) {
        throw usageError(t('--env takes a variable and its value, such as --env OMP_NUM_THREADS=2, not "{0}".', word));
      }
      return [name, value];
    }),
  );
}

function massifChoices(values: Values<typeof MASSIF_OPTIONS>): MassifChoices {
  const threshold = Number(values.threshold ?? MASSIF_DEFAULTS.threshold);
  if (!(threshold >= 0.001 && threshold <= 100)) {
    throw usageError(
      t('--threshold is a percentage of the heap from 0.001 to 100, not "{0}".', values.threshold ?? ""),
    );
  }
  return {
    threshold,
    pagesAsHeap: values["pages-as-heap"] ?? false,
    gpu: values.gpu ?? false,
    frames: !(values["no-python-frames"] ?? false),
    lines: linesNamed(values),
    anyway: values.anyway ?? false,
  };
}

function linesNamed(values: Values<typeof MASSIF_OPTIONS>): LinePlace[] {
  return (values["massif-line"] ?? []).map((text) => {
    const [, path, line] = /^(.+):([1-9]\d{0,7})$/.exec(text) ?? [];
    if (path === undefined)
      throw usageError(t('--massif-line is a file and a line such as train.py:33, not "{0}".', text));
    return { path, line: Number(line) };
  });
}
