/** The command `sweep`: options of its own before those of `profile`, whose script it runs. */
import { defined } from "../../profile/defined.ts";
import { type GridParameter, MOST_RUNS, parseGrid } from "../../sweep/grid.ts";
import type { SweepPlan } from "../../sweep/makeRuns.ts";
import { t } from "../../words/t.ts";
import { readOptions, takeOptions, usageError } from "../commandLine/options.ts";
import { KEPT_SWEEP_OPTIONS, SWEEP_OWN_OPTIONS } from "../commandLine/reference/models.ts";
import { environmentOf, type ProfileCommand, parseProfile } from "../run/profileCommandLine.ts";

export interface SweepCommand {
  readonly kind: "sweep";
  readonly action: SweepAction;
  readonly json: boolean;
  readonly quiet: boolean;
}

export type SweepAction =
  | {
      readonly kind: "make";
      readonly profile: ProfileCommand;
      readonly parameters: readonly GridParameter[];
      readonly repeat: number;
      readonly larger: SweepPlan["larger"];
    }
  | ({ readonly kind: "show" } & KeptSweep)
  | ({
      readonly kind: "resume";
      readonly environment: Readonly<Record<string, string>>;
      /** Where the board is reached now, where that is not what the sweep was begun with. */
      readonly target?: string;
      readonly boardFolder?: string;
    } & KeptSweep);

export interface KeptSweep {
  /** As typed: a group, the beginning of its name, a run's folder or "last". */
  readonly sweep: string;
  readonly project?: string;
  /** Where the runs are, if not in the project. */
  readonly out?: string;
}

/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseSweep(argv: readonly string[]): SweepCommand | undefined {
  return argv.some((word) => /^--(show|resume)(=|$)/.test(word)) ? parseKept(argv) : parseMake(argv);
}

function parseMake(argv: readonly string[]): SweepCommand | undefined {
  const { values, rest } = takeOptions(argv, SWEEP_OWN_OPTIONS);
  const { grid = [], all = false } = values;
  const profile = parseProfile(rest);
  if (profile === undefined) return undefined;
  if (profile.engine === "massif")
    throw usageError(t("A sweep compares peaks of the script; those of massif are valgrind's."));
  if (profile.heap !== undefined)
    throw usageError(t("A sweep compares peaks of the script alone; leave out --native-stacks."));
  if (profile.torch?.model?.trial !== undefined) {
    throw usageError(t("A sweep runs the script as it is; make the change that --try makes in the script itself."));
  }
  if (grid.length === 0) throw usageError(t("Give something to vary, such as --grid batch-size=16,32,64."));
  const repeat = Number(values.repeat ?? 1);
  if (!/^\d{1,3}$/.test(values.repeat ?? "1") || repeat < 1 || repeat > MOST_RUNS) {
    throw usageError(t('--repeat is a whole number from 1 to {0}, not "{1}".', MOST_RUNS, values.repeat ?? ""));
  }
  return {
    kind: "sweep",
    action: {
      kind: "make",
      profile,
      parameters: parseGrid(grid, profile.args, repeat),
      repeat,
      larger: all ? "run" : "skip",
    },
    json: profile.json,
    quiet: profile.quiet,
  };
}

function parseKept(argv: readonly string[]): SweepCommand | undefined {
  const values = readOptions(argv, KEPT_SWEEP_OPTIONS);
  if (values.help) return undefined;
  const { show, resume } = values;
  if (show !== undefined && resume !== undefined) throw usageError(t("Give either --show or --resume, not both."));
  const idle = (["env", "target", "board-folder"] as const).find((name) => values[name] !== undefined);
  if (show !== undefined && idle !== undefined) throw usageError(t("--{0} needs --resume: --show runs nothing.", idle));
  const kept = { sweep: show ?? resume ?? "", ...defined({ project: values.project, out: values.out }) };
  return {
    kind: "sweep",
    action:
      show === undefined
        ? {
            kind: "resume",
            environment: environmentOf(values.env ?? []),
            ...defined({ target: values.target, boardFolder: values["board-folder"] }),
            ...kept,
          }
        : { kind: "show", ...kept },
    json: values.json ?? false,
    quiet: values.quiet ?? false,
  };
}
