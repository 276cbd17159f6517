/** Questions one after another, with a way back to the one before. */
import * as vscode from "vscode";

/** The person wants the question before. */
export const BACK = Symbol("back");
/** Undefined where the person declined. */
export type Asked<T> = T | typeof BACK | undefined;

export interface Step {
  /** It has a way back where one was asked before it. */
  ask(hasBack: boolean): Promise<Asked<unknown>>;
  /** Left out while it does not hold. */
  applies?(): boolean;
}

/** @returns whether all were answered */
export async function askInSteps(steps: readonly Step[]): Promise<boolean> {
  const asked: number[] = [];
  for (let at = 0; at < steps.length; ) {
    const step = steps[at];
    if (step === undefined || step.applies?.() === false) {
      at += 1;
      continue;
    }
    const answer = await step.ask(asked.length > 0);
    if (answer === undefined) return false;
    if (answer === BACK) at = asked.pop() ?? at;
    else {
      asked.push(at);
      at += 1;
    }
  }
  return true;
}

/** Hands an answer on, where there is one. */
export async function keep<T>(asked: Promise<Asked<T>>, take: (answer: T) => void): Promise<Asked<T>> {
  const answer = await asked;
  if (answer !== undefined && answer !== BACK) take(answer);
  return answer;
}

interface Question {
  readonly title: string;
  readonly placeholder?: string;
  readonly hasBack: boolean;
}

export interface TextQuestion extends Question {
  readonly prompt: string;
  readonly value: string;
  /** What is wrong with a text, as a sentence. */
  problemOf?(text: string): string | undefined;
}

export function askText({ prompt, value, problemOf, ...question }: TextQuestion): Promise<Asked<string>> {
  const box = vscode.window.createInputBox();
  box.prompt = prompt;
  box.value = value;
  return shown(box, question, (accept) => {
    const check = (): boolean => {
      const problem = problemOf?.(box.value);
      box.validationMessage = problem ?? "";
      return problem === undefined;
    };
    box.onDidChangeValue(check);
    return box.onDidAccept(() => check() && accept(box.value));
  });
}

export interface ChoiceQuestion<Item extends vscode.QuickPickItem> extends Question {
  readonly items: readonly Item[];
}

/** @param chosen what Enter takes; else the first one */
export function askOne<Item extends vscode.QuickPickItem>({
  items,
  chosen,
  ...question
}: ChoiceQuestion<Item> & { readonly chosen?: Item | undefined }): Promise<Asked<Item>> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.items = items;
  if (chosen !== undefined) pick.activeItems = [chosen];
  return shown(pick, question, (accept) =>
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      if (item !== undefined) accept(item);
    }),
  );
}

/** None may be chosen too. */
export function askMany<Item extends vscode.QuickPickItem>({
  items,
  chosen,
  ...question
}: ChoiceQuestion<Item> & { readonly chosen: readonly Item[] }): Promise<Asked<readonly Item[]>> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.canSelectMany = true;
  pick.items = items;
  pick.selectedItems = chosen;
  return shown(pick, question, (accept) => pick.onDidAccept(() => accept(pick.selectedItems)));
}

function shown<T>(
  input: Pick<vscode.InputBox, "title" | "ignoreFocusOut" | "placeholder" | "buttons" | "show" | "dispose"> &
    Pick<vscode.InputBox, "onDidHide" | "onDidTriggerButton">,
  { title, placeholder, hasBack }: Question,
  listen: (accept: (answer: T) => void) => vscode.Disposable,
): Promise<Asked<T>> {
  input.title = title;
  input.placeholder = placeholder;
  input.ignoreFocusOut = true;
  input.buttons = hasBack ? [vscode.QuickInputButtons.Back] : [];
  return new Promise<Asked<T>>((resolve) => {
    listen(resolve);
    input.onDidTriggerButton(() => resolve(BACK));
    input.onDidHide(() => resolve(undefined));
    input.show();
  }).finally(() => input.dispose());
}
