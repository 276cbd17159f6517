/** What was typed, as a command. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import type { MetricChoice } from "../profile/columns.ts";
import { MASSIF_DEFAULTS } from "../profile/massifDefaults.ts";
import { type EngineName, METRICS } from "../profile/model.ts";
import type { LinePlace } from "../profile/totals.ts";
import type { TorchRequest } from "../protocol/board.ts";
import { type DoctorCommand, parseDoctor } from "./doctorCommandLine.ts";
import { type LedgerCommand, parseLedger } from "./ledgerCommandLine.ts";
import { type MassifCommand, parseMassif } from "./massifCommandLine.ts";
import {
  type ModelCommand,
  parseModel,
  parseSharedLayers,
  parseWhatIf,
  type SharedLayersCommand,
  type WhatIfCommand,
} from "./modelCommandLine.ts";
import { given, HELP_OPTION, oneOf, onlyOneRun, RUN_OPTIONS, strictly, usageError } from "./options.ts";
import { parseSnapshot, type SnapshotCommand } from "./snapshotCommandLine.ts";
import { OPTIONAL_VALUES, TORCH_OPTIONS, torchRequest } from "./torchOptions.ts";
import { parseTrace, type TraceCommand } from "./traceCommand.ts";

export type Entry =
  | { readonly kind: "script"; readonly path: string }
  | { readonly kind: "module"; readonly name: string };

export interface ProfileCommand {
  readonly kind: "profile";
  readonly entry: Entry;
  readonly args: readonly string[];
  readonly target: string;
  readonly python?: string;
  readonly engine: EngineName;
  readonly exact: boolean;
  readonly accelerator: boolean;
  /** Present when `engine` is `massif`. */
  readonly massif?: MassifChoices;
  readonly torch?: TorchRequest;
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

export interface MassifChoices {
  readonly threshold: number;
  readonly pagesAsHeap: boolean;
  readonly gpu: boolean;
  readonly frames: boolean;
  /** As typed, a path and a line number; empty: the heaviest of the last run. */
  readonly lines: readonly LinePlace[];
  /** Starts the run whatever the preflight finds. */
  readonly anyway: boolean;
}

export type ReportFormat = "table" | "memory_profiler" | "json";

export interface ShowCommand {
  readonly kind: "show";
  readonly run: string;
  readonly project?: string;
  readonly file?: string;
  readonly format: ReportFormat;
  readonly metric: MetricChoice;
}

export interface AttachCommand {
  readonly kind: "attach";
  readonly run: string;
  readonly python?: string;
  readonly project?: string;
  readonly json: boolean;
  readonly quiet: boolean;
}

export interface WhyCommand {
  readonly kind: "why";
  readonly run: string;
  readonly project?: string;
  readonly json: boolean;
}

export interface WatchCommand {
  readonly kind: "watch";
  readonly target: string;
  readonly python?: string;
  readonly intervalMs: number;
  readonly json: boolean;
}

export type Command =
  | ProfileCommand
  | ShowCommand
  | AttachCommand
  | MassifCommand
  | DoctorCommand
  | WatchCommand
  | WhyCommand
  | LedgerCommand
  | SnapshotCommand
  | TraceCommand
  | ModelCommand
  | WhatIfCommand
  | SharedLayersCommand
  | { readonly kind: "runs"; readonly project?: string }
  | { readonly kind: "help" }
  | { readonly kind: "version" };

/** @throws UserError `usage` */
export function parseCommandLine(argv: readonly string[]): Command {
  const [first, ...rest] = argv;
  switch (first) {
    case undefined:
    case "help":
    case "--help":
    case "-h":
      return { kind: "help" };
    case "--version":
      return { kind: "version" };
    case "profile":
      return parseProfile(rest);
    case "show":
      return parseShow(rest);
    case "runs":
      return parseRuns(rest);
    case "attach":
      return parseAttach(rest);
    case "why":
      return parseWhy(rest);
    case "ledger":
      return parseLedger(rest) ?? { kind: "help" };
    case "watch":
      return parseWatch(rest);
    case "doctor":
      return parseDoctor(rest) ?? { kind: "help" };
    case "trace":
      return parseTrace(rest) ?? { kind: "help" };
    case "model":
      return parseModel(rest, parseProfile) ?? { kind: "help" };
    case "whatif":
      return parseWhatIf(rest) ?? { kind: "help" };
    case "shared-layers":
      return parseSharedLayers(rest) ?? { kind: "help" };
    case "massif":
      return parseMassif(rest) ?? { kind: "help" };
    case "snapshot":
      return parseSnapshot(rest) ?? { kind: "help" };
    default:
      throw usageError(`There is no command "${first}".`);
  }
}

const MASSIF_OPTIONS = {
  "pages-as-heap": { type: "boolean" },
  gpu: { type: "boolean" },
  "massif-line": { type: "string", multiple: true },
  "no-python-frames": { type: "boolean" },
  threshold: { type: "string" },
  anyway: { type: "boolean" },
} as const satisfies ParseArgsConfig["options"];

const PROFILE_OPTIONS = {
  ...MASSIF_OPTIONS,
  ...TORCH_OPTIONS,
  target: { type: "string" },
  python: { type: "string" },
  engine: { type: "string" },
  exact: { type: "boolean" },
  "no-accelerator": { type: "boolean" },
  exclude: { type: "string", multiple: true },
  env: { type: "string", multiple: true },
  project: { type: "string" },
  out: { type: "string" },
  metric: { type: "string" },
  json: { type: "boolean" },
  quiet: { type: "boolean" },
} as const satisfies ParseArgsConfig["options"];

interface ProfileArguments {
  /** Ours, each option and its value in one word. */
  readonly ours: readonly string[];
  readonly entry?: Entry;
  readonly scriptArgs: readonly string[];
  readonly help: boolean;
}

/** Ours are taken out wherever they stand until `--`; the rest after the script is the script's, in its order. */
function splitArguments(argv: readonly string[]): ProfileArguments {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const words = argv.slice(0, end);
  const ours: string[] = [];
  const others: string[] = [];
  let help = false;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const option = optionOf(word);
    if (option?.needsValue) {
      const value = words.shift();
      if (value === undefined) throw usageError(`The option ${word} needs a value after it.`);
      ours.push(`${word}=${value}`);
    } else if (option !== undefined) ours.push(option.word);
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

/** An option of ours as one word; whether its value is the next one. */
function optionOf(word: string): { readonly word: string; readonly needsValue: boolean } | undefined {
  const [, name, equals] = /^--([a-z-]+)(=|$)/.exec(word) ?? [];
  const known = Object.entries(PROFILE_OPTIONS).find(([option]) => option === name)?.[1];
  if (known === undefined || name === undefined) return undefined;
  const lacksValue = known.type === "string" && equals === "";
  const takesDefault = lacksValue && OPTIONAL_VALUES.includes(name);
  return { word: takesDefault ? `${word}=` : word, needsValue: lacksValue && !takesDefault };
}

function parseProfile(argv: readonly string[]): Command {
  const { ours, entry, scriptArgs, help } = splitArguments(argv);
  if (help) return { kind: "help" };
  const { values } = strictly(() => parseArgs({ args: [...ours], options: PROFILE_OPTIONS, strict: true }));
  if (entry === undefined) throw usageError("Say which script to profile: jetson-memprof profile SCRIPT --target …");
  if (entry.kind === "module" && !/^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)*$/u.test(entry.name)) {
    throw usageError(`"${entry.name}" after -m is not the name of a Python module.`);
  }
  if (values.target === undefined) {
    throw usageError("Say where to run the script: --target user@host, --target local or --target loopback.");
  }
  const engine = oneOf("--engine", values.engine ?? "line", ["line", "memory_profiler", "massif"]);
  const misplaced = Object.keys(MASSIF_OPTIONS).find((option) => option in values);
  if (engine !== "massif" && misplaced !== undefined) throw usageError(`--${misplaced} needs --engine massif.`);
  const unfit = Object.keys(TORCH_OPTIONS).find((option) => option in values);
  if (engine !== "line" && unfit !== undefined) throw usageError(`--${unfit} needs the line engine, not ${engine}.`);
  const torch = torchRequest(values);
  return {
    kind: "profile",
    entry,
    args: scriptArgs,
    target: values.target,
    engine,
    ...(engine === "massif" ? { massif: massifChoices(values) } : {}),
    ...given("torch", torch),
    exact: values.exact ?? false,
    accelerator: !(values["no-accelerator"] ?? false),
    excludes: values.exclude ?? [],
    environment: environment(values.env ?? []),
    metric: metricChoice(values.metric),
    json: values.json ?? false,
    quiet: values.quiet ?? false,
    ...given("python", values.python),
    ...given("project", values.project),
    ...given("out", values.out),
  };
}

function metricChoice(value: string | undefined): MetricChoice {
  return oneOf("--metric", value ?? "rss", [...METRICS, "all"]);
}

/** Of `NAME=VALUE` words. */
function environment(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? [];
      if (name === undefined || value === undefined) {
        throw usageError(`--env takes a variable and its value, such as --env OMP_NUM_THREADS=2, not "${word}".`);
      }
      return [name, value];
    }),
  );
}

interface MassifValues {
  readonly threshold?: string;
  readonly "pages-as-heap"?: boolean;
  readonly gpu?: boolean;
  readonly "no-python-frames"?: boolean;
  readonly "massif-line"?: readonly string[];
  readonly anyway?: boolean;
}

function massifChoices(values: MassifValues): MassifChoices {
  const threshold = Number(values.threshold ?? MASSIF_DEFAULTS.threshold);
  if (!(threshold >= 0.001 && threshold <= 100)) {
    throw usageError(`--threshold is a per cent of the heap from 0.001 to 100, not "${values.threshold}".`);
  }
  return {
    threshold,
    pagesAsHeap: values["pages-as-heap"] ?? false,
    gpu: values.gpu ?? false,
    frames: !(values["no-python-frames"] ?? false),
    lines: (values["massif-line"] ?? []).map((text) => {
      const [, path, line] = /^(.+):([1-9]\d{0,7})$/.exec(text) ?? [];
      if (path === undefined)
        throw usageError(`--massif-line is a file and a line such as train.py:33, not "${text}".`);
      return { path, line: Number(line) };
    }),
    anyway: values.anyway ?? false,
  };
}

function parseShow(argv: readonly string[]): Command {
  const { values, positionals } = strictly(() =>
    parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { ...RUN_OPTIONS, file: { type: "string" }, format: { type: "string" }, metric: { type: "string" } },
    }),
  );
  if (values.help) return { kind: "help" };
  if (values.json && values.format !== undefined) throw usageError("Give either --json or --format, not both.");
  return {
    kind: "show",
    run: onlyOneRun(positionals),
    format: values.json ? "json" : oneOf("--format", values.format ?? "table", ["table", "memory_profiler"]),
    metric: metricChoice(values.metric),
    ...given("file", values.file),
    ...given("project", values.project),
  };
}

function parseWhy(argv: readonly string[]): Command {
  const { values, positionals } = strictly(() =>
    parseArgs({ args: [...argv], allowPositionals: true, options: RUN_OPTIONS }),
  );
  if (values.help) return { kind: "help" };
  return {
    kind: "why",
    run: onlyOneRun(positionals),
    json: values.json ?? false,
    ...given("project", values.project),
  };
}

function parseRuns(argv: readonly string[]): Command {
  const options = { project: { type: "string" }, ...HELP_OPTION } as const;
  const { values } = strictly(() => parseArgs({ args: [...argv], options }));
  return values.help ? { kind: "help" } : { kind: "runs", ...given("project", values.project) };
}

function parseAttach(argv: readonly string[]): Command {
  const { values, positionals } = strictly(() =>
    parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { ...RUN_OPTIONS, quiet: { type: "boolean" }, python: { type: "string" } },
    }),
  );
  if (values.help) return { kind: "help" };
  return {
    kind: "attach",
    run: onlyOneRun(positionals),
    json: values.json ?? false,
    quiet: values.quiet ?? false,
    ...given("project", values.project),
    ...given("python", values.python),
  };
}

const WATCH_INTERVAL = { least: 0.25, most: 60 };

function parseWatch(argv: readonly string[]): Command {
  const options = {
    target: { type: "string" },
    python: { type: "string" },
    interval: { type: "string" },
    json: { type: "boolean" },
    ...HELP_OPTION,
  } as const;
  const { values } = strictly(() => parseArgs({ args: [...argv], options }));
  if (values.help) return { kind: "help" };
  if (values.target === undefined) {
    throw usageError("Say what to watch: --target user@host, --target local or --target loopback.");
  }
  const seconds = Number(values.interval ?? 1);
  if (!(seconds >= WATCH_INTERVAL.least && seconds <= WATCH_INTERVAL.most)) {
    const { least, most } = WATCH_INTERVAL;
    throw usageError(`--interval is a number of seconds from ${least} to ${most}, not "${values.interval}".`);
  }
  return {
    kind: "watch",
    target: values.target,
    intervalMs: Math.round(seconds * 1000),
    json: values.json ?? false,
    ...given("python", values.python),
  };
}
