/** The questions of "Profile on Jetson with Options…". */
import type * as vscode from "vscode";
import type { EngineName } from "../../../profile/model.ts";
import type { TorchRequest } from "../../../protocol/run/run.ts";
import { say, t } from "../../../words/t.ts";
import { askInSteps, askMany, askOne, askText, keep } from "../../questions/steps.ts";
import { problemOf } from "../../report/asUserError.ts";
import type { RunSettings } from "../../settings/settings.ts";
import { splitArguments } from "./splitArguments.ts";
import { choicesSet, TORCH_CHOICES, type TorchChoice, torchRequestOf } from "./torchChoice.ts";

export interface RunOptions {
  readonly args: readonly string[];
  readonly engine: EngineName;
  readonly exact: boolean;
  readonly python: string | undefined;
  /** For engine `line` only. */
  readonly torch: TorchRequest | undefined;
  /** Native stacks are sampled; for engine `line` only. */
  readonly nativeStacks?: boolean;
}

const KEY = "jetsonMemprof.arguments";

interface Answers {
  args: string;
  engine: EngineChoice | undefined;
  torch: readonly TorchChoice[];
  python: string;
}

/** Undefined when the user declined. The arguments are remembered for the script. */
export async function askOptions(
  script: string,
  settings: RunSettings,
  memory: vscode.Memento,
): Promise<RunOptions | undefined> {
  const remembered = memory.get<Record<string, unknown>>(KEY) ?? {};
  const last = remembered[script];
  const answers: Answers = {
    args: typeof last === "string" ? last : "",
    engine: undefined,
    torch: choicesSet(settings.torch),
    python: settings.python ?? "",
  };
  const take =
    <Name extends keyof Answers>(name: Name) =>
    (value: Answers[Name]) => {
      answers[name] = value;
    };
  const answered = await askInSteps([
    { ask: (hasBack) => keep(askArguments(script, answers.args, hasBack), take("args")) },
    { ask: (hasBack) => keep(askEngine(settings, answers.engine, hasBack), take("engine")) },
    {
      applies: () => answers.engine?.engine === "line",
      ask: (hasBack) => keep(askTorch(answers.torch, hasBack), (chosen) => take("torch")(chosen.map(({ id }) => id))),
    },
    { ask: (hasBack) => keep(askPython(answers.python, hasBack), take("python")) },
  ]);
  const { args, engine, torch, python } = answers;
  if (!answered || engine === undefined) return undefined;
  await memory.update(KEY, { ...remembered, [script]: args });
  return {
    args: splitArguments(args),
    python: python.trim() === "" ? undefined : python.trim(),
    torch: engine.engine === "line" ? torchRequestOf(torch, settings.torch) : undefined,
    engine: engine.engine,
    exact: engine.exact,
    nativeStacks: engine.nativeStacks === true,
  };
}

function askArguments(script: string, value: string, hasBack: boolean) {
  return askText({
    title: t("Arguments of {0} (1 of 4)", script),
    prompt: t("As in a terminal: spaces separate, quotes keep together. Empty for none."),
    placeholder: "--epochs 2 --batch-size 32",
    value,
    problemOf: (text) => problemOf(() => splitArguments(text)),
    hasBack,
  });
}

interface EngineChoice extends vscode.QuickPickItem {
  readonly engine: EngineName;
  readonly exact: boolean;
  readonly nativeStacks?: true;
}

/** @param chosen before; else the settings' stands first */
function askEngine(settings: RunSettings, chosen: EngineChoice | undefined, hasBack: boolean) {
  const choices: readonly EngineChoice[] = [
    { label: t("Line engine"), detail: t("Every line, with peaks; fast"), engine: "line", exact: false },
    {
      label: t("Line engine, exact"),
      detail: t("Reads the memory more often, down to 1.5 µs apart; slower"),
      engine: "line",
      exact: true,
    },
    {
      label: t("Line engine with native stacks"),
      detail: t("Every line, and the native call stacks of what it allocates, sampled; as fast"),
      engine: "line",
      exact: false,
      nativeStacks: true,
    },
    {
      label: "memory_profiler",
      detail: t("The package of the board's Python; functions marked with @profile only"),
      engine: "memory_profiler",
      exact: false,
    },
    {
      label: "Massif (valgrind)",
      detail: t("Native call stacks of every allocation, counted exactly; 20 to 150 times slower"),
      engine: "massif",
      exact: false,
    },
  ];
  const isSet = ({ engine, exact, nativeStacks }: EngineChoice): boolean =>
    nativeStacks === undefined && engine === settings.engine && exact === (settings.exact && engine === "line");
  const items = [...choices]
    .sort((a, b) => Number(isSet(b)) - Number(isSet(a)))
    .map((choice) => (isSet(choice) ? { ...choice, description: t("(default)") } : choice));
  return askOne({
    title: t("How to measure (2 of 4)"),
    items,
    chosen: items.find(({ label }) => label === chosen?.label),
    hasBack,
  });
}

function askTorch(chosen: readonly TorchChoice[], hasBack: boolean) {
  const items = TORCH_CHOICES.map(({ id, label, detail }) => ({ id, label: say(label), detail: say(detail) }));
  return askMany({
    title: t("Also record from PyTorch (3 of 4)"),
    placeholder: t("Nothing chosen: the CUDA memory of lines only"),
    items,
    chosen: items.filter(({ id }) => chosen.includes(id)),
    hasBack,
  });
}

function askPython(value: string, hasBack: boolean) {
  return askText({
    title: t("Python on the board (4 of 4)"),
    prompt: t("A path, a virtual environment's folder, or a name. Empty: python3, or another Python found there."),
    placeholder: "python3",
    value,
    hasBack,
  });
}
