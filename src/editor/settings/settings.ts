/** The settings as the code uses them: what they may be and are by default is declared in src/editor/contributions. */
import type { EngineName, Metric } from "../../profile/model.ts";
import type { MassifSettings } from "../../protocol/run/massifRequest.ts";
import type { SettingOf } from "../contributions/settings.ts";
import { checkedSettings, lenientSettings, type ReadSetting } from "./checked.ts";

export interface RunSettings {
  /** Undefined: ask. */
  readonly target: string | undefined;
  /** Of a group; with patterns. */
  readonly boards: readonly string[];
  /** Undefined: detect. */
  readonly python: string | undefined;
  /** What starts the script, and its options; empty: Python does. */
  readonly launcher: readonly string[];
  /** As `parseInside` reads it. Undefined: on the board itself. */
  readonly container: string | undefined;
  /** For the engine's `run`, where a container is made of an image. */
  readonly containerOptions: readonly string[];
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
  /** Bytes allocated between two samples of native stacks, on average. */
  readonly nativeStacksMean: number;
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

/** Where a figure stands beside its line. */
export type Position = SettingOf<"decorations.position">;

export interface ViewSettings {
  readonly decorations: boolean;
  readonly position: Position;
  /** What the figures beside the lines measure, until the user chooses another. */
  readonly metric: Metric;
  /** Bytes. */
  readonly threshold: number;
  readonly codeLens: boolean;
}

const MIB = 1024 * 1024;
/** No line of any run moves more. */
const MOST_MIB = 2 ** 32;

/** @throws UserError `bad-setting` */
export function runSettings(read: ReadSetting): RunSettings {
  const setting = checkedSettings(read);
  return {
    target: setting("target") || undefined,
    boards: setting("boards"),
    python: setting("python") || undefined,
    launcher: setting("launcher"),
    container: setting("container") || undefined,
    containerOptions: setting("containerOptions"),
    boardFolder: setting("boardFolder"),
    exclude: setting("exclude"),
    environment: setting("environment"),
    // Massif is chosen by its own command or in the options: as a setting it would slow every run down a hundredfold.
    engine: setting("engine"),
    exact: setting("exactMode"),
    accelerator: setting("accelerator"),
    outputLimit: Math.round(setting("outputLimitMiB") * MIB),
    watchIntervalMs: setting("watch.intervalMs"),
    nativeStacksMean: 1024 * setting("nativeStacks.sampleKiB"),
    massif: {
      frames: setting("massif.pythonFrames"),
      pagesAsHeap: setting("massif.pagesAsHeap"),
      threshold: setting("massif.threshold"),
      gpu: setting("massif.gpu"),
      lines: setting("massif.lines"),
    },
    torch: {
      exactPeaks: setting("torch.exactPeaks"),
      snapshots: setting("torch.snapshots"),
      snapshotEntries: setting("torch.snapshotEntries"),
    },
  };
}

/** Never fails: what cannot be read counts as not set, since it is only about what is shown. */
export function viewSettings(read: ReadSetting): ViewSettings {
  const setting = lenientSettings(read);
  return {
    decorations: setting("decorations.enabled"),
    position: setting("decorations.position"),
    metric: setting("decorations.metric"),
    threshold: Math.min(setting("decorations.threshold"), MOST_MIB) * MIB,
    codeLens: setting("codeLens.enabled"),
  };
}
