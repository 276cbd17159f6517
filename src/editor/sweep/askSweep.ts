/** The questions of "Sweep Parameters…". */
import * as vscode from "vscode";
import { UserError } from "../../profile/userError.ts";
import { type GridParameter, MOST_RUNS, parseGrid } from "../../sweep/grid.ts";
import { combinations, valuesText } from "../../sweep/values.ts";
import { t } from "../../words/t.ts";
import { askInSteps, askText, keep } from "../questions/steps.ts";
import { problemOf } from "../report/asUserError.ts";
import { plainText } from "../report/plainText.ts";
import { splitArguments } from "../run/options/splitArguments.ts";

export interface SweepChoice {
  /** With the braces of placeholders. */
  readonly args: readonly string[];
  readonly parameters: readonly GridParameter[];
  readonly repeat: number;
}

const KEY = "jetsonMemprof.sweeps";
const MOST_LISTED = 15;

/** Undefined when the user declined. What was typed is remembered for the script. */
export async function askSweep(
  script: string,
  targetName: string,
  memory: vscode.Memento,
): Promise<SweepChoice | undefined> {
  const remembered = memory.get<Record<string, unknown>>(KEY) ?? {};
  const last = readRemembered(remembered[script]);
  const answers = { ...last, repeat: "1" };
  const take =
    (name: keyof typeof answers) =>
    (text: string): void => {
      answers[name] = text;
    };
  const answered = await askInSteps([
    { ask: (hasBack) => keep(askGrid(script, answers.grid, hasBack), take("grid")) },
    { ask: (hasBack) => keep(askArguments(script, answers, hasBack), take("args")) },
    { ask: (hasBack) => keep(askRepeat(script, answers, hasBack), take("repeat")) },
  ]);
  if (!answered) return undefined;
  const { grid, args } = answers;
  const repeat = Number(answers.repeat);
  const choice = { ...parse(grid, args, repeat), repeat };
  if (!(await mayStart(script, targetName, choice))) return undefined;
  await memory.update(KEY, { ...remembered, [script]: { grid, args } });
  return choice;
}

function parse(grid: string, args: string, repeat = 1): Omit<SweepChoice, "repeat"> {
  const given = splitArguments(args);
  const texts = splitArguments(grid);
  if (texts.length === 0) {
    throw new UserError("usage", t("Nothing to vary yet."), t("Write such as batch-size=16,32,64."));
  }
  return { args: given, parameters: parseGrid(texts, given, repeat) };
}

function askGrid(script: string, value: string, hasBack: boolean) {
  return askText({
    title: t("Sweep of {0}: what to vary (1 of 3)", script),
    prompt: t(
      "NAME=VALUE,VALUE with a space between parameters. Each value reaches the script as --NAME VALUE; on,off gives --NAME or not; env:NAME=1,4 sets a variable.",
    ),
    placeholder: "batch-size=16,32,64 device=cpu,cuda",
    value,
    // Braces among the arguments, which come next, change how a value is handed over, not what is right here.
    problemOf: (text) => problemOf(() => parse(text, "")),
    hasBack,
  });
}

function askArguments(script: string, { grid, args }: Remembered, hasBack: boolean) {
  return askText({
    title: t("Sweep of {0}: its other arguments (2 of 3)", script),
    prompt: t("The same in each run. An argument NAME={} takes the value of that parameter in place of the braces."),
    placeholder: "--epochs 1",
    value: args,
    problemOf: (text) => problemOf(() => parse(grid, text)),
    hasBack,
  });
}

function askRepeat(script: string, { grid, args, repeat }: Remembered & { readonly repeat: string }, hasBack: boolean) {
  return askText({
    title: t("Sweep of {0}: runs of each point (3 of 3)", script),
    prompt: t("1 to {0}. More than one shows by how much equal runs differ.", MOST_RUNS),
    value: repeat,
    problemOf: (text) =>
      /^\s*\d{1,3}\s*$/.test(text) && Number(text) >= 1
        ? problemOf(() => parse(grid, args, Number(text)))
        : t("A whole number from 1 to {0}.", MOST_RUNS),
    hasBack,
  });
}

async function mayStart(script: string, targetName: string, { parameters, repeat }: SweepChoice): Promise<boolean> {
  const points = combinations(parameters);
  const start = t("Start");
  const listed = points.slice(0, MOST_LISTED).map((values, i) => `${i + 1}. ${plainText(valuesText(values), 150)}`);
  const more = points.length > MOST_LISTED ? [t("and {0} more", points.length - MOST_LISTED)] : [];

  const detail = [
    ...listed,
    ...more,
    "",
    t(
      "How long it will take is shown once the first run has ended. When a value runs out of memory, larger ones are skipped. Cancelling a run ends the sweep; what was made is kept.",
    ),
  ].join("\n");
  const count = points.length * repeat;
  const question =
    repeat > 1
      ? t("Make {0} runs of {1} on {2}, {3} of each point?", count, script, targetName, repeat)
      : count === 1
        ? t("Make 1 run of {0} on {1}?", script, targetName)
        : t("Make {0} runs of {1} on {2}?", count, script, targetName);
  return (await vscode.window.showInformationMessage(question, { modal: true, detail }, start)) === start;
}

interface Remembered {
  readonly grid: string;
  readonly args: string;
}

function readRemembered(value: unknown): Remembered {
  const { grid, args } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  return { grid: typeof grid === "string" ? grid : "", args: typeof args === "string" ? args : "" };
}
