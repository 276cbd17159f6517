/** What was typed, as a command. */
import { defined } from "../../profile/defined.ts";
import type { MetricChoice } from "../../profile/lines/columns.ts";
import { type RankView, readRankView } from "../../profile/ranks/ranks.ts";
import type { Moment } from "../../profile/text/moment.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { type DoctorCommand, parseDoctor } from "../board/doctor/doctorCommandLine.ts";
import { type LedgerCommand, parseLedger } from "../board/memory/ledgerCommandLine.ts";
import { type DiffCommand, parseDiff } from "../compare/diffCommandLine.ts";
import { type ExportCommand, parseExport } from "../formats/exportCommandLine.ts";
import { type ImportCommand, parseImport } from "../formats/importCommand.ts";
import { type CheckCommand, parseCheck } from "../gate/checkCommandLine.ts";
import { type MassifCommand, parseMassif } from "../massif/massifCommandLine.ts";
import { type McpCommand, parseMcp } from "../mcp/mcpCommandLine.ts";
import { type MetricsCommand, parseMetrics } from "../metrics/metricsCommandLine.ts";
import type { ProfileCommand } from "../run/profileCommandLine.ts";
import { type DryRunCommand, parseProfileOrRepeat, type RepeatCommand } from "../run/repeatCommandLine.ts";
import { readMoment } from "../runs/moment.ts";
import { parseRuns, type RunsCommand } from "../runs/runsCommandLine.ts";
import { parseSweep, type SweepCommand } from "../sweep/sweepCommandLine.ts";
import { type KvCacheCommand, parseKvCache } from "../torch/kvCache/kvCacheCommandLine.ts";
import {
  type ModelCommand,
  parseModel,
  parseSharedLayers,
  parseWhatIf,
  type SharedLayersCommand,
  type WhatIfCommand,
} from "../torch/model/modelCommandLine.ts";
import { parseSnapshot, type SnapshotCommand } from "../torch/snapshot/snapshotCommandLine.ts";
import { parseTrace, type TraceCommand } from "../torch/trace/traceCommand.ts";
import { type LspCommand, parseLsp } from "./lspCommand.ts";
import {
  GENERAL_HINT,
  metricChoice,
  oneOf,
  onlyOneRun,
  readOptions,
  readWords,
  usageError,
  wholeNumber,
} from "./options.ts";
import { ATTACH, CANCEL, WATCH, WATCH_INTERVAL } from "./reference/boards.ts";
import { COMMANDS, type FirstWord } from "./reference/commands.ts";
import { COMPLETION, SHELLS } from "./reference/keeping.ts";
import type { Values } from "./reference/model.ts";
import { nearest } from "./reference/nearest.ts";
import { SHOW, WHY } from "./reference/reading.ts";

/** More lines are a whole table. */
const MOST_TOP = 1_000;

export type ReportFormat = "table" | "memory_profiler" | "json";

export interface ShowCommand {
  readonly kind: "show";
  readonly run: string;
  readonly project?: string;
  readonly file?: string;
  readonly format: ReportFormat;
  readonly metric: MetricChoice;
  readonly ranks?: RankView;
  /** How many of the heaviest lines, and nothing else. */
  readonly top?: number;
  readonly since?: Moment;
}

export interface AttachCommand {
  readonly kind: "attach";
  readonly run: string;
  /** Where the board is reached now, where that is not what the run was started with. */
  readonly target?: string;
  readonly python?: string;
  readonly boardFolder?: string;
  readonly project?: string;
  /** Brings home what there is, and leaves the run. */
  readonly once: boolean;
  readonly since?: Moment;
  readonly json: boolean;
  readonly quiet: boolean;
}

export interface CancelCommand extends Omit<AttachCommand, "kind" | "json" | "once" | "since"> {
  readonly kind: "cancel";
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
  readonly boardFolder?: string;
  readonly intervalMs: number;
  readonly json: boolean;
}

export interface CompletionCommand {
  readonly kind: "completion";
  readonly shell: (typeof SHELLS)[number];
}

export interface HelpCommand {
  readonly kind: "help";
  /** A command's name; absent: all of them. */
  readonly topic?: string;
}

export type Command =
  | ProfileCommand
  | RepeatCommand
  | DryRunCommand
  | DiffCommand
  | ShowCommand
  | AttachCommand
  | CancelCommand
  | MassifCommand
  | DoctorCommand
  | WatchCommand
  | WhyCommand
  | LedgerCommand
  | ExportCommand
  | SnapshotCommand
  | TraceCommand
  | KvCacheCommand
  | ModelCommand
  | WhatIfCommand
  | SharedLayersCommand
  | ImportCommand
  | SweepCommand
  | CheckCommand
  | McpCommand
  | MetricsCommand
  | LspCommand
  | RunsCommand
  | CompletionCommand
  | HelpCommand
  | { readonly kind: "version" };

/** By the command's first word; undefined where help was asked for. */
const PARSERS: Readonly<Record<FirstWord, (argv: readonly string[]) => Command | undefined>> = {
  profile: parseProfileOrRepeat,
  sweep: parseSweep,
  attach: parseAttach,
  cancel: parseCancel,
  show: parseShow,
  diff: parseDiff,
  why: parseWhy,
  ledger: parseLedger,
  model: parseModel,
  whatif: parseWhatIf,
  "shared-layers": parseSharedLayers,
  export: parseExport,
  runs: parseRuns,
  import: parseImport,
  doctor: parseDoctor,
  watch: parseWatch,
  snapshot: parseSnapshot,
  massif: parseMassif,
  trace: parseTrace,
  "kv-cache": parseKvCache,
  check: parseCheck,
  metrics: parseMetrics,
  mcp: parseMcp,
  lsp: parseLsp,
  completion: parseCompletion,
};

const isFirstWord = (word: string): word is FirstWord => Object.hasOwn(PARSERS, word);

/** @throws UserError `usage` */
export function parseCommandLine(argv: readonly string[]): Command {
  const [first, ...rest] = argv;
  switch (first) {
    case undefined:
    case "--help":
    case "-h":
      return { kind: "help" };
    case "help":
      return parseHelp(rest);
    case "--version":
      return { kind: "version" };
  }
  if (!isFirstWord(first)) throw noCommand(first);
  const topic = topicOf(argv) ?? first;
  try {
    return PARSERS[first](rest) ?? { kind: "help", topic };
  } catch (error) {
    if (!(error instanceof UserError) || error.hint !== GENERAL_HINT) throw error;
    throw new UserError("usage", error.message, t('See "jetson-memprof {0} --help".', topic));
  }
}

/** @throws UserError `usage` */
function parseHelp(argv: readonly string[]): Command {
  const words = argv.filter((word) => !word.startsWith("-"));
  if (words.length === 0) return { kind: "help" };
  const topic = topicOf(words);
  if (topic === undefined) throw noCommand(words.join(" "));
  return { kind: "help", topic };
}

/** The command that the first words name, `runs tag` before `runs`. */
function topicOf(words: readonly string[]): string | undefined {
  const names = [words.slice(0, 2).join(" "), words[0]];
  return names.find((name) => COMMANDS.some((command) => command.name === name));
}

function noCommand(typed: string): UserError {
  const names = [...COMMANDS.map(({ name }) => name), "help"];
  const meant = nearest(typed, names);
  return usageError(
    t('There is no command "{0}".{1}', typed, meant === undefined ? "" : t(' Did you mean "{0}"?', meant)),
  );
}

function parseCompletion(argv: readonly string[]): Command | undefined {
  const { values, positionals } = readWords(argv, COMPLETION.options);
  if (values.help) return undefined;
  const [shell, ...more] = positionals;
  if (shell === undefined || more.length > 0) throw usageError(t("Name a shell: bash, zsh or fish."));
  return { kind: "completion", shell: oneOf("SHELL", shell, SHELLS) };
}

function parseShow(argv: readonly string[]): Command | undefined {
  const { values, positionals } = readWords(argv, SHOW.options);
  if (values.help) return undefined;
  if (values.json && values.format !== undefined) throw usageError(t("Give either --json or --format, not both."));
  if (values.top !== undefined && (values.json || values.format !== undefined))
    throw usageError(t("--top is for the usual table; give it without --json and --format."));
  return {
    kind: "show",
    ...defined({ top: values.top === undefined ? undefined : wholeNumber("--top", values.top, 1, MOST_TOP) }),
    run: onlyOneRun(positionals),
    format: values.json ? "json" : oneOf("--format", values.format ?? "table", SHOW.options.format.choices),
    metric: metricChoice(values.metric),
    ...defined({ file: values.file, project: values.project, ranks: ranksChoice(values.ranks) }),
    ...sinceChoice(values.since),
  };
}

/** @throws UserError `usage` */
function sinceChoice(value: string | undefined): { readonly since?: Moment } {
  return value === undefined ? {} : { since: readMoment(value) };
}

/** @throws UserError `usage` */
function ranksChoice(value: string | undefined): RankView | undefined {
  const view = readRankView(value);
  if (value !== undefined && view === undefined)
    throw usageError(
      t("--ranks takes together, highest, median or the number of a rank, not {0}.", JSON.stringify(value)),
    );
  return view;
}

function parseWhy(argv: readonly string[]): Command | undefined {
  const { values, positionals } = readWords(argv, WHY.options);
  if (values.help) return undefined;
  return {
    kind: "why",
    run: onlyOneRun(positionals),
    json: values.json ?? false,
    ...defined({ project: values.project }),
  };
}

function parseCancel(argv: readonly string[]): Command | undefined {
  const { values, positionals } = readWords(argv, CANCEL.options);
  if (values.help) return undefined;
  return {
    kind: "cancel",
    run: onlyOneRun(positionals),
    ...followed(values),
  };
}

/** Of a run that is followed again. */
function followed(values: Values<typeof CANCEL.options>): Omit<CancelCommand, "kind" | "run"> {
  return {
    quiet: values.quiet ?? false,
    ...defined({
      project: values.project,
      python: values.python,
      boardFolder: values["board-folder"],
      target: values.target,
    }),
  };
}

function parseAttach(argv: readonly string[]): Command | undefined {
  const { values, positionals } = readWords(argv, ATTACH.options);
  if (values.help) return undefined;
  return {
    kind: "attach",
    run: onlyOneRun(positionals),
    json: values.json ?? false,
    once: values.once ?? false,
    ...sinceChoice(values.since),
    ...followed(values),
  };
}

function parseWatch(argv: readonly string[]): Command | undefined {
  const values = readOptions(argv, WATCH.options);
  if (values.help) return undefined;
  if (values.target === undefined) {
    throw usageError(t("Name a target to watch: --target user@host, --target local or --target loopback."));
  }
  const seconds = Number(values.interval ?? WATCH_INTERVAL.usual);
  if (!(seconds >= WATCH_INTERVAL.least && seconds <= WATCH_INTERVAL.most)) {
    const { least, most } = WATCH_INTERVAL;
    throw usageError(
      t('--interval is a number of seconds from {0} to {1}, not "{2}".', least, most, values.interval ?? ""),
    );
  }
  return {
    kind: "watch",
    target: values.target,
    intervalMs: Math.round(seconds * 1000),
    json: values.json ?? false,
    ...defined({ python: values.python, boardFolder: values["board-folder"] }),
  };
}
