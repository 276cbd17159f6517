/** The command `sweep`: options of its own before those of `profile`, whose script it runs. */
import { defined } from "../../profile/defined.ts";
import { type GridParameter, MOST_RUNS, parseGrid } from "../../sweep/grid.ts";
import { BOARDS_AT_ONCE, type SweepPlan } from "../../sweep/makeRuns.ts";
import { checkTogether, type Meeting, readMeeting } from "../../sweep/together.ts";
import { t } from "../../words/t.ts";
import { ownEnd, readOptions, takeOptions, usageError } from "../commandLine/options.ts";
import type { Values } from "../commandLine/reference/model.ts";
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
      /** As typed, with patterns; empty: the target that `profile` names. */
      readonly boards: readonly string[];
      readonly boardsAtOnce: number;
      /** One training over all boards. */
      readonly together?: { readonly meeting?: Meeting };
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
      /** The same, of a sweep on several: those that may be used although only its plan names them. */
      readonly boards: readonly string[];
      readonly boardFolder?: string;
      readonly boardsAtOnce: number;
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
  const own = argv.slice(0, ownEnd(argv));
  return own.some((word) => /^--(show|resume)(=|$)/.test(word)) ? parseKept(argv) : parseMake(argv);
}

function parseMake(argv: readonly string[]): SweepCommand | undefined {
  const { values, rest } = takeOptions(argv, SWEEP_OWN_OPTIONS);
  const { grid = [], all = false } = values;
  const boards = boardList(values.boards);
  const [first] = boards;
  const profile = parseProfile(first === undefined ? rest : ["--target", first, ...rest]);
  if (profile === undefined) return undefined;
  if (first !== undefined && profile.target !== first)
    throw usageError(t("Give either --target or --boards, not both."));
  const boardsAtOnce = atOnce(values["at-once"]);
  if (first === undefined && values["at-once"] !== undefined) throw usageError(t("--at-once needs --boards."));
  if (profile.engine === "massif")
    throw usageError(t("A sweep compares peaks of the script; those of massif are valgrind's."));
  if (profile.heap !== undefined)
    throw usageError(t("A sweep compares peaks of the script alone; leave out --native-stacks."));
  if (profile.torch?.model?.trial !== undefined) {
    throw usageError(t("A sweep runs the script as it is; make the change that --try makes in the script itself."));
  }
  if (grid.length === 0 && first === undefined) {
    throw usageError(t("Give something to vary, such as --grid batch-size=16,32,64, or boards: --boards nano1,nano2."));
  }
  const together = togetherOf(values, profile, boards);
  const repeat = Number(values.repeat ?? 1);
  if (!/^\d{1,3}$/.test(values.repeat ?? "1") || repeat < 1 || repeat > MOST_RUNS) {
    throw usageError(t('--repeat is a whole number from 1 to {0}, not "{1}".', MOST_RUNS, values.repeat ?? ""));
  }
  return {
    kind: "sweep",
    action: {
      kind: "make",
      profile,
      boards,
      boardsAtOnce,
      ...defined({ together }),
      parameters: parseGrid(grid, profile.args, repeat),
      repeat,
      larger: all ? "run" : "skip",
    },
    json: profile.json,
    quiet: profile.quiet,
  };
}

/** @throws UserError `usage` */
function togetherOf(
  { together = false, meet, ...values }: Values<typeof SWEEP_OWN_OPTIONS>,
  { launch }: ProfileCommand,
  boards: readonly string[],
): { readonly meeting?: Meeting } | undefined {
  if (!together) {
    if (meet !== undefined) throw usageError(t("--meet needs --together."));
    return undefined;
  }
  if (boards.length === 0) throw usageError(t("--together needs --boards."));
  const other = (["grid", "repeat", "at-once", "all"] as const).find((name) => values[name] !== undefined);
  if (other !== undefined) {
    throw usageError(t("--{0} does not fit --together: all boards run one training, once.", other));
  }
  checkTogether(launch);
  return meet === undefined ? {} : { meeting: readMeeting(meet) };
}

function boardList(texts: readonly string[] = []): readonly string[] {
  const boards = texts.flatMap((text) => text.split(",").map((one) => one.trim()));
  if (boards.includes("")) throw usageError(t("A board of --boards is empty. Write --boards nano1,nano2."));
  return boards;
}

const MOST_BOARDS_AT_ONCE = 64;

function atOnce(text: string | undefined): number {
  const count = Number(text ?? BOARDS_AT_ONCE);
  if (!/^\d{1,3}$/.test(text ?? "1") || count < 1 || count > MOST_BOARDS_AT_ONCE) {
    throw usageError(t('--at-once is a whole number from 1 to {0}, not "{1}".', MOST_BOARDS_AT_ONCE, text ?? ""));
  }
  return count;
}

function parseKept(argv: readonly string[]): SweepCommand | undefined {
  const values = readOptions(argv, KEPT_SWEEP_OPTIONS);
  if (values.help) return undefined;
  const { show, resume } = values;
  if (show !== undefined && resume !== undefined) throw usageError(t("Give either --show or --resume, not both."));
  const idle = (["env", "target", "boards", "board-folder", "at-once"] as const).find(
    (name) => values[name] !== undefined,
  );
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
            boards: boardList(values.boards),
            boardsAtOnce: atOnce(values["at-once"]),
            ...kept,
          }
        : { kind: "show", ...kept },
    json: values.json ?? false,
    quiet: values.quiet ?? false,
  };
}
