/** The commands `model`, `whatif` and `shared-layers`. */
import { parseArgs } from "node:util";
import { TORCH_DEFAULTS } from "../profile/torchDefaults.ts";
import { WHAT_IF_KINDS, type WhatIfKind } from "../torch/whatif/model.ts";
import type { Command, ProfileCommand } from "./commandLine.ts";
import { given, HELP_OPTION, oneOf, onlyOneRun, RUN_OPTIONS, strictly, usageError } from "./options.ts";

export interface ModelCommand {
  readonly kind: "model";
  readonly source: ModelSource;
  /** Bytes that the training may take. */
  readonly free?: number;
  readonly depth: number;
  readonly json: boolean;
}

export type ModelSource =
  | { readonly kind: "run"; readonly run: string; readonly project?: string }
  | {
      readonly kind: "script";
      readonly profile: ProfileCommand;
      /** Batch sizes, one run for each; empty: one run as the script is. */
      readonly batches: readonly number[];
      readonly batchArgument: string;
      readonly check?: number | "largest";
    };

export interface WhatIfCommand {
  readonly kind: "whatif";
  readonly run: string;
  readonly project?: string;
  readonly only?: { readonly kind: WhatIfKind; readonly value?: number };
  readonly verify: boolean;
  /** As for profile: a run does not say what was left out of it. */
  readonly excludes: readonly string[];
  readonly json: boolean;
}

export interface SharedLayersCommand {
  readonly kind: "shared-layers";
  readonly project?: string;
  readonly json: boolean;
}

const DEFAULT_DEPTH = 3;
const MOST_BATCH = 1_000_000;
/** Those of `model` that `profile` does not know; the value of the first ones is always the next word. */
const WITH_VALUE = ["--batches", "--batch-argument", "--free", "--depth"] as const;
const OWN = new Set<string>([...WITH_VALUE, "--check"]);

/**
 * @param parseProfile of the words after `profile`
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseModel(
  argv: readonly string[],
  parseProfile: (argv: readonly string[]) => Command,
): ModelCommand | undefined {
  const { own, rest } = takeOwn(argv);
  const common = {
    depth: wholeNumber("--depth", own.get("--depth") ?? String(DEFAULT_DEPTH), 0, 1000),
    ...given("free", own.has("--free") ? mebibytes(own.get("--free") ?? "") : undefined),
  };
  if (rest.some((word) => /^--target(=|$)/.test(word))) {
    const profile = parseProfile(rest);
    if (profile.kind === "help") return undefined;
    if (profile.kind !== "profile") throw usageError("This is no script to profile.");
    if (profile.engine !== "line") throw usageError("The model account needs --engine line.");
    const torch = profile.torch ?? { exactPeaks: false };
    const account = { ...torch, model: torch.model ?? { steps: TORCH_DEFAULTS.modelSteps } };
    return {
      kind: "model",
      source: { kind: "script", profile: { ...profile, torch: account }, ...batchChoices(own) },
      ...common,
      json: profile.json,
    };
  }
  const misplaced = ["--batches", "--batch-argument", "--check"].find((option) => own.has(option));
  if (misplaced !== undefined) throw usageError(`${misplaced} needs a script and --target: it makes runs.`);
  const { values, positionals } = strictly(() =>
    parseArgs({ args: [...rest], allowPositionals: true, options: RUN_OPTIONS }),
  );
  if (values.help) return undefined;
  const script = positionals.find((word) => word.endsWith(".py"));
  if (script !== undefined) throw usageError(`${script} is a script: say with --target where to run it.`);
  return {
    kind: "model",
    source: { kind: "run", run: onlyOneRun(positionals), ...given("project", values.project) },
    ...common,
    json: values.json ?? false,
  };
}

/** Words until `--`, without our own options. */
function takeOwn(argv: readonly string[]): { own: ReadonlyMap<string, string>; rest: string[] } {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const words = argv.slice(0, end);
  const own = new Map<string, string>();
  const rest: string[] = [];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const [name = "", ...value] = word.split("=");
    if (!OWN.has(name)) rest.push(word);
    else if (value.length > 0 || name === "--check") own.set(name, value.join("="));
    else {
      const next = words.shift();
      if (next === undefined) throw usageError(`The option ${name} needs a value after it.`);
      own.set(name, next);
    }
  }
  return { own, rest: [...rest, ...argv.slice(end)] };
}

function batchChoices(own: ReadonlyMap<string, string>) {
  const batches = own.get("--batches");
  const check = own.get("--check");
  return {
    batches:
      batches === undefined ? [] : batches.split(",").map((text) => wholeNumber("--batches", text, 1, MOST_BATCH)),
    batchArgument: own.get("--batch-argument") ?? "--batch-size",
    ...given("check", check === "" ? ("largest" as const) : check && wholeNumber("--check", check, 1, MOST_BATCH)),
  } as Pick<Extract<ModelSource, { kind: "script" }>, "batches" | "batchArgument" | "check">;
}

/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseWhatIf(argv: readonly string[]): WhatIfCommand | undefined {
  const options = {
    ...RUN_OPTIONS,
    verify: { type: "boolean" },
    exclude: { type: "string", multiple: true },
  } as const;
  const { values, positionals } = strictly(() => parseArgs({ args: [...argv], allowPositionals: true, options }));
  if (values.help) return undefined;
  const [run, choice, ...more] = positionals;
  const only = choice === undefined ? undefined : whatIfChoice(choice);
  if (values.verify && only === undefined) {
    throw usageError("Say which change to verify, such as: jetson-memprof whatif last checkpoint:2 --verify.");
  }
  return {
    kind: "whatif",
    run: onlyOneRun(run === undefined ? [] : [run, ...more]),
    verify: values.verify ?? false,
    excludes: values.exclude ?? [],
    json: values.json ?? false,
    ...given("only", only),
    ...given("project", values.project),
  };
}

function whatIfChoice(text: string): { readonly kind: WhatIfKind; readonly value?: number } {
  const [kind = "", value] = text.split(":", 2);
  return {
    kind: oneOf("KIND", kind, WHAT_IF_KINDS),
    ...given("value", value === undefined ? undefined : wholeNumber(kind, value, 1, MOST_BATCH)),
  };
}

/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseSharedLayers(argv: readonly string[]): SharedLayersCommand | undefined {
  const options = { json: { type: "boolean" }, project: { type: "string" }, ...HELP_OPTION } as const;
  const { values } = strictly(() => parseArgs({ args: [...argv], options }));
  if (values.help) return undefined;
  return { kind: "shared-layers", json: values.json ?? false, ...given("project", values.project) };
}

function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d{1,7}$/.test(text) && value >= least && value <= most) return value;
  throw usageError(`${option} takes whole numbers from ${least} to ${most}, not "${text}".`);
}

function mebibytes(text: string): number {
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text) && Number(text) > 0) return Number(text) * 2 ** 20;
  throw usageError(`--free is a size in MiB, such as 3000, not "${text}".`);
}
