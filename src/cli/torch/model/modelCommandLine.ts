/** The commands `model`, `whatif` and `shared-layers`. */
import { defined } from "../../../profile/defined.ts";
import { TORCH_DEFAULTS } from "../../../profile/torch/torchDefaults.ts";
import { WHAT_IF_KINDS, type WhatIfKind } from "../../../torch/whatif/model.ts";
import { t } from "../../../words/t.ts";
import {
  mebibytes,
  oneOf,
  onlyOneRun,
  readOptions,
  readWords,
  takeOptions,
  usageError,
  wholeNumber,
} from "../../commandLine/options.ts";
import type { Values } from "../../commandLine/reference/model.ts";
import { MODEL_OWN_OPTIONS, SHARED_LAYERS, WHATIF } from "../../commandLine/reference/models.ts";
import { RUN_OPTIONS } from "../../commandLine/reference/shared.ts";
import { type ProfileCommand, parseProfile } from "../../run/profileCommandLine.ts";

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
/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseModel(argv: readonly string[]): ModelCommand | undefined {
  const { values: own, rest } = takeOptions(argv, MODEL_OWN_OPTIONS);
  const common = {
    depth: wholeNumber("--depth", own.depth ?? String(DEFAULT_DEPTH), 0, 1000),
    ...defined({ free: own.free === undefined ? undefined : mebibytes(own.free) }),
  };
  if (rest.some((word) => /^--target(=|$)/.test(word))) {
    const profile = parseProfile(rest);
    if (profile === undefined) return undefined;
    if (profile.engine !== "line") throw usageError(t("The model account needs --engine line."));
    const torch = profile.torch ?? { exactPeaks: false };
    const account = { ...torch, model: torch.model ?? { steps: TORCH_DEFAULTS.modelSteps } };
    return {
      kind: "model",
      source: { kind: "script", profile: { ...profile, torch: account }, ...batchChoices(own) },
      ...common,
      json: profile.json,
    };
  }
  const misplaced = (["batches", "batch-argument", "check"] as const).find((option) => own[option] !== undefined);
  if (misplaced !== undefined) throw usageError(t("--{0} needs a script and --target: it makes runs.", misplaced));
  const { values, positionals } = readWords(rest, RUN_OPTIONS);
  if (values.help) return undefined;
  const script = positionals.find((word) => word.endsWith(".py"));
  if (script !== undefined) throw usageError(t("{0} is a script: say with --target where to run it.", script));
  return {
    kind: "model",
    source: { kind: "run", run: onlyOneRun(positionals), ...defined({ project: values.project }) },
    ...common,
    json: values.json ?? false,
  };
}

function batchChoices({ batches, check, ...own }: Values<typeof MODEL_OWN_OPTIONS>) {
  return {
    batches:
      batches === undefined ? [] : batches.split(",").map((text) => wholeNumber("--batches", text, 1, MOST_BATCH)),
    batchArgument: own["batch-argument"] ?? MODEL_OWN_OPTIONS["batch-argument"].default,
    ...defined({ check: check === "" ? ("largest" as const) : check && wholeNumber("--check", check, 1, MOST_BATCH) }),
  } as Pick<Extract<ModelSource, { kind: "script" }>, "batches" | "batchArgument" | "check">;
}

/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseWhatIf(argv: readonly string[]): WhatIfCommand | undefined {
  const { values, positionals } = readWords(argv, WHATIF.options);
  if (values.help) return undefined;
  const [run, choice, ...more] = positionals;
  const only = choice === undefined ? undefined : whatIfChoice(choice);
  if (values.verify && only === undefined) {
    throw usageError(t("Name a change to verify, such as: jetson-memprof whatif last checkpoint:2 --verify."));
  }
  return {
    kind: "whatif",
    run: onlyOneRun(run === undefined ? [] : [run, ...more]),
    verify: values.verify ?? false,
    excludes: values.exclude ?? [],
    json: values.json ?? false,
    ...defined({ only, project: values.project }),
  };
}

function whatIfChoice(text: string): { readonly kind: WhatIfKind; readonly value?: number } {
  const [kind = "", value] = text.split(":", 2);
  return {
    kind: oneOf("KIND", kind, WHAT_IF_KINDS),
    ...defined({ value: value === undefined ? undefined : wholeNumber(kind, value, 1, MOST_BATCH) }),
  };
}

/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseSharedLayers(argv: readonly string[]): SharedLayersCommand | undefined {
  const values = readOptions(argv, SHARED_LAYERS.options);
  if (values.help) return undefined;
  return { kind: "shared-layers", json: values.json ?? false, ...defined({ project: values.project }) };
}
