/** The questions of "Profile on Jetson with Options…". */
import * as vscode from "vscode";
import type { EngineName } from "../../../profile/model.ts";
import { UserError } from "../../../profile/userError.ts";
import type { TorchRequest } from "../../../protocol/run/run.ts";
import { say, sentences, t } from "../../../words/t.ts";
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
}

const KEY = "jetsonMemprof.arguments";

/** Undefined when the user declined. The arguments are remembered for the script. */
export async function askOptions(
  script: string,
  settings: RunSettings,
  memory: vscode.Memento,
): Promise<RunOptions | undefined> {
  const remembered = memory.get<Record<string, unknown>>(KEY) ?? {};
  const last = remembered[script];
  const typed = await vscode.window.showInputBox({
    title: t("Arguments of {0} (1 of 4)", script),
    prompt: t("As in a terminal: spaces separate, quotes keep together. Empty for none."),
    placeHolder: "--epochs 2 --batch-size 32",
    value: typeof last === "string" ? last : "",
    ignoreFocusOut: true,
    validateInput: problemOfArguments,
  });
  if (typed === undefined) return undefined;
  const engine = await askEngine(settings);
  if (engine === undefined) return undefined;
  const torch = engine.engine === "line" ? await askTorch(settings) : [];
  if (torch === undefined) return undefined;
  const python = await vscode.window.showInputBox({
    title: t("Python on the board (4 of 4)"),
    prompt: t("A path, a virtual environment's folder, or a name. Empty: python3, or another Python found there."),
    placeHolder: "python3",
    value: settings.python ?? "",
    ignoreFocusOut: true,
  });
  if (python === undefined) return undefined;
  await memory.update(KEY, { ...remembered, [script]: typed });
  return {
    args: splitArguments(typed),
    python: python.trim() === "" ? undefined : python.trim(),
    torch: torchRequestOf(torch, settings.torch),
    ...engine,
  };
}

function problemOfArguments(text: string): string | undefined {
  try {
    splitArguments(text);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return sentences(error.message, error.hint);
    throw error;
  }
}

async function askEngine(settings: RunSettings): Promise<Pick<RunOptions, "engine" | "exact"> | undefined> {
  const choices = [
    { label: t("Line engine"), detail: t("Every line, with peaks; fast"), engine: "line", exact: false },
    {
      label: t("Line engine, exact"),
      detail: t("Reads the memory more often, down to 1.5 µs apart; slower"),
      engine: "line",
      exact: true,
    },
    {
      label: "memory_profiler",
      detail: t("The package of the board's Python; functions marked with @profile only"),
      engine: "memory_profiler",
      exact: false,
    },
    {
      label: "Massif (valgrind)",
      detail: t("Native call stacks of every allocation, with the Python line; some hundred times slower"),
      engine: "massif",
      exact: false,
    },
  ] as const;
  const isSet = ({ engine, exact }: (typeof choices)[number]): boolean =>
    engine === settings.engine && exact === (settings.exact && engine === "line");
  const items = [...choices].sort((a, b) => Number(isSet(b)) - Number(isSet(a)));
  const chosen = await vscode.window.showQuickPick(
    items.map((choice) => (isSet(choice) ? { ...choice, description: t("(default)") } : choice)),
    { title: t("How to measure (2 of 4)"), ignoreFocusOut: true },
  );
  return chosen === undefined ? undefined : { engine: chosen.engine, exact: chosen.exact };
}

async function askTorch({ torch }: RunSettings): Promise<readonly TorchChoice[] | undefined> {
  const set = choicesSet(torch);
  const chosen = await vscode.window.showQuickPick(
    TORCH_CHOICES.map(({ id, label, detail }) => ({
      id,
      label: say(label),
      detail: say(detail),
      picked: set.includes(id),
    })),
    {
      title: t("Also record from PyTorch (3 of 4)"),
      placeHolder: t("Nothing chosen: the CUDA memory of lines only"),
      canPickMany: true,
      ignoreFocusOut: true,
    },
  );
  return chosen?.map(({ id }) => id);
}
