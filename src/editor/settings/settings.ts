/** The settings as the code uses them. A workspace's settings file is untrusted: each value is checked. */
import { isMetric } from "../../profile/lines/metric.ts";
import type { EngineName, Metric } from "../../profile/model.ts";
import { MOST_SNAPSHOT_ENTRIES, TORCH_DEFAULTS } from "../../profile/torch/torchDefaults.ts";
import { UserError } from "../../profile/userError.ts";
import type { MassifSettings } from "../../protocol/run/massifRequest.ts";
import { DEFAULT_BOARD_FOLDER } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";

export interface RunSettings {
  /** Undefined: ask. */
  readonly target: string | undefined;
  /** Undefined: detect. */
  readonly python: string | undefined;
  readonly boardFolder: string;
  readonly exclude: readonly string[];
  /** Variables for the script. */
  readonly environment: Readonly<Record<string, string>>;
  readonly engine: EngineName;
  readonly exact: boolean;
  readonly accelerator: boolean;
  /** Bytes. */
  readonly outputLimit: number;
  /** How often the whole board's memory is read, in milliseconds. */
  readonly watchIntervalMs: number;
  readonly massif: MassifRunSettings;
  readonly torch: TorchRunSettings;
}

export interface MassifRunSettings extends MassifSettings {
  /** How many of the heaviest lines are measured where the user marked none. */
  readonly lines: number;
}

/** What the line engine records of PyTorch. */
export interface TorchRunSettings {
  readonly exactPeaks: boolean;
  readonly snapshots: boolean;
  /** The most events kept for a snapshot. */
  readonly snapshotEntries: number;
}

export const POSITIONS = ["automatic", "afterLine", "beforeLine"] as const;
/** Where a figure stands beside its line. */
export type Position = (typeof POSITIONS)[number];

export interface ViewSettings {
  readonly decorations: boolean;
  readonly position: Position;
  /** What the figures beside the lines measure, until the user chooses another. */
  readonly metric: Metric;
  /** Bytes. */
  readonly threshold: number;
  readonly codeLens: boolean;
}

/** Reads one setting below `jetsonMemprof`. */
export type ReadSetting = (name: string) => unknown;

const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MIB = 1024 * 1024;
/** No line of any run moves more. */
const MOST_MIB = 2 ** 32;

/** @throws UserError `bad-setting` */
export function runSettings(read: ReadSetting): RunSettings {
  return {
    target: text(read, "target", undefined),
    python: text(read, "python", undefined),
    boardFolder: text(read, "boardFolder", DEFAULT_BOARD_FOLDER),
    exclude: patterns(read),
    environment: environment(read),
    engine: engine(read),
    exact: flag(read, "exactMode", false),
    accelerator: flag(read, "accelerator", true),
    outputLimit: Math.round(amount(read, "outputLimitMiB", 64, 1, 4096) * MIB),
    watchIntervalMs: Math.round(amount(read, "watch.intervalMs", 1_000, 250, 60_000)),
    massif: {
      frames: flag(read, "massif.pythonFrames", true),
      pagesAsHeap: flag(read, "massif.pagesAsHeap", false),
      threshold: amount(read, "massif.threshold", 0.1, 0.01, 50),
      gpu: flag(read, "massif.gpu", false),
      lines: Math.round(amount(read, "massif.lines", 8, 0, 100)),
    },
    torch: {
      exactPeaks: flag(read, "torch.exactPeaks", false),
      snapshots: flag(read, "torch.snapshots", false),
      snapshotEntries: Math.round(
        amount(read, "torch.snapshotEntries", TORCH_DEFAULTS.snapshotEntries, 1_000, MOST_SNAPSHOT_ENTRIES),
      ),
    },
  };
}

/** Never fails: what cannot be read counts as not set, since it is only about what is shown. */
export function viewSettings(read: ReadSetting): ViewSettings {
  const threshold = read("decorations.threshold");
  const metric = read("decorations.metric");
  return {
    decorations: read("decorations.enabled") !== false,
    position: POSITIONS.find((position) => position === read("decorations.position")) ?? "automatic",
    metric: isMetric(metric) ? metric : "rss",
    threshold: (typeof threshold === "number" && threshold >= 0 ? Math.min(threshold, MOST_MIB) : 0.1) * MIB,
    codeLens: read("codeLens.enabled") !== false,
  };
}

function text<Default extends string | undefined>(read: ReadSetting, name: string, fallback: Default) {
  const value = read(name) ?? "";
  if (typeof value !== "string") throw bad(name, t("must be text"));
  return value.trim() === "" ? fallback : value.trim();
}

function flag(read: ReadSetting, name: string, fallback: boolean): boolean {
  const value = read(name) ?? fallback;
  if (typeof value !== "boolean") throw bad(name, t("must be true or false"));
  return value;
}

function amount(read: ReadSetting, name: string, fallback: number, least: number, most: number): number {
  const value = read(name) ?? fallback;
  if (typeof value !== "number" || !(value >= least && value <= most)) {
    throw bad(name, t("must be a number from {0} to {1}", least, most));
  }
  return value;
}

function patterns(read: ReadSetting): readonly string[] {
  const value = read("exclude") ?? [];
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) {
    throw bad("exclude", t("must be a list of patterns"));
  }
  return value.filter((item) => item.trim() !== "");
}

function environment(read: ReadSetting): Readonly<Record<string, string>> {
  const value = read("environment") ?? {};
  const entries = typeof value === "object" && !Array.isArray(value) ? Object.entries(value ?? {}) : undefined;
  if (
    !entries?.every(
      (entry): entry is [string, string] => ENVIRONMENT_NAME.test(entry[0]) && typeof entry[1] === "string",
    )
  ) {
    throw bad("environment", t('must be names of variables with a text each, such as { "OMP_NUM_THREADS": "2" }'));
  }
  return Object.fromEntries(entries);
}

/** Massif is chosen by its own command or in the options: as a setting it would slow every run down a hundredfold. */
function engine(read: ReadSetting): EngineName {
  const value = read("engine") ?? "line";
  if (value !== "line" && value !== "memory_profiler") throw bad("engine", t('must be "line" or "memory_profiler"'));
  return value;
}

function bad(name: string, expected: string): UserError {
  return new UserError(
    "bad-setting",
    t("The setting jetsonMemprof.{0} {1}.", name, expected),
    t("Correct it in the settings."),
  );
}
