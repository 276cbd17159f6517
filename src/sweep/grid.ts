/** The grid as it is typed: which parameters, which values, and how a value reaches the script. */
import { UserError } from "../profile/userError.ts";
import { t } from "../words/t.ts";
import type { Parameter, Values } from "./model.ts";
import { inOrder, isNumber, isNumeric } from "./values.ts";

/**
 * `option`: `--NAME VALUE` behind the given arguments. `flag`: `--NAME` where the value is `on`. `placeholder`: in the
 * place of the braces of a given argument `NAME={}`. `environment`: a variable. `board`: not at all, it is where it runs.
 */
export type Way = "option" | "flag" | "placeholder" | "environment" | "board";

export interface GridParameter extends Parameter {
  readonly way: Way;
}

export const MOST_RUNS = 200;
const LONGEST_VALUE = 500;

/**
 * @param texts such as `batch-size=16,32` or `env:OMP_NUM_THREADS=1,2`
 * @param args those of the script
 * @throws UserError `usage`
 */
export function parseGrid(texts: readonly string[], args: readonly string[], repeat: number): GridParameter[] {
  const parameters = texts.map((text) => parseParameter(text, args));
  for (const [place, { name }] of parameters.entries()) {
    if (parameters.findIndex((other) => other.name === name) !== place) {
      throw wrong(t("The parameter {0} is given twice.", name), t("Put all its values into one: batch-size=16,32."));
    }
  }
  const open = args.find((arg) => arg.endsWith("={}") && !parameters.some(({ name }) => isPlaceOf(arg, name)));
  if (open !== undefined) {
    throw wrong(t("No parameter has the name that the argument {0} uses.", open), t("Name it: {0}=1,2.", bare(open)));
  }
  checkSize(parameters, repeat);
  return parameters;
}

/** @throws UserError `usage` */
function checkSize(parameters: readonly Parameter[], repeat: number): void {
  const runs = parameters.reduce((product, { values }) => product * values.length, repeat);
  if (runs > MOST_RUNS) {
    throw wrong(
      t("This makes {0} runs; a sweep may have {1}.", runs, MOST_RUNS),
      t("Take fewer values or repeats, or make two sweeps."),
    );
  }
}

const BOARD = "board";

/**
 * The grid on several boards.
 * @param boards as they are typed, each once
 * @throws UserError `usage`
 */
export function onBoards(
  boards: readonly string[],
  parameters: readonly GridParameter[],
  repeat: number,
): GridParameter[] {
  if (parameters.some(({ name }) => name === BOARD)) {
    throw wrong(
      t("On several boards, no parameter can be called {0}.", BOARD),
      t("Pass it by an argument with braces under another name."),
    );
  }
  const number = boards.find(isNumber);
  if (number !== undefined) {
    throw wrong(t('The board "{0}" cannot be told from a number.', number), t("Write it as user@{0}.", number));
  }
  const all = [{ name: BOARD, values: boards, way: BOARD } as const, ...parameters];
  checkSize(all, repeat);
  return all;
}

const ofBoards = (parameters: readonly GridParameter[]): GridParameter | undefined =>
  parameters.find(({ way }) => way === BOARD);

/** The parameter whose values are boards. */
export function boardParameter(parameters: readonly GridParameter[]): string | undefined {
  return ofBoards(parameters)?.name;
}

/** All boards of a sweep. */
export function boardsOf(parameters: readonly GridParameter[], target: string): readonly string[] {
  return ofBoards(parameters)?.values ?? [target];
}

/** Where a point is run. */
export function targetAt(parameters: readonly GridParameter[], target: string, values: Values): string {
  return values[boardParameter(parameters) ?? ""] ?? target;
}

function parseParameter(text: string, args: readonly string[]): GridParameter {
  const [, prefix, name, list] = /^(?!env:=)(env:)?([^\s=,]{1,100})=(.*)$/s.exec(text.trim()) ?? [];
  if (name === undefined || list === undefined) {
    throw wrong(
      t('"{0}" is not a parameter with its values.', text),
      t("Write NAME=VALUE,VALUE: batch-size=16,32,64, device=cpu,cuda, amp=on,off or env:OMP_NUM_THREADS=1,4."),
    );
  }
  const values = list.split(",").map((value) => value.trim());
  const problem = problemOf(name, values);
  if (problem !== undefined) throw wrong(problem, t("Separate values by commas, each once: batch-size=16,32,64."));
  if (prefix !== undefined && !/^[A-Za-z_]\w*$/.test(name)) {
    throw wrong(t('"{0}" cannot be the name of a variable.', name), t("Write it as env:OMP_NUM_THREADS=1,4."));
  }
  return { name, values: inOrder(values), way: wayOf(prefix !== undefined, name, values, args) };
}

function problemOf(name: string, values: readonly string[]): string | undefined {
  if (values.includes("")) return t("A value of {0} is empty.", name);
  const long = values.find((value) => value.length > LONGEST_VALUE);
  if (long !== undefined) return t("A value of {0} has more than {1} characters.", name, LONGEST_VALUE);
  const numbers = isNumeric({ name, values });
  const keys = values.map((value) => (numbers ? String(Number(value)) : value));
  const twice = values.find((_, place) => keys.indexOf(keys[place] ?? "") !== place);
  return twice === undefined ? undefined : t("The value {0} of {1} is given twice.", twice, name);
}

function wayOf(variable: boolean, name: string, values: readonly string[], args: readonly string[]): Way {
  if (variable) return "environment";
  if (args.some((arg) => isPlaceOf(arg, name))) return "placeholder";
  return values.every((value) => value === "on" || value === "off") ? "flag" : "option";
}

/** `--lr={}`, `lr={}` and `+optimizer.lr={}`, each with the name as the parameter has it. */
function isPlaceOf(arg: string, name: string): boolean {
  return arg.endsWith("={}") && (arg.slice(0, -"={}".length) === name || bare(arg) === bareName(name));
}

const bare = (arg: string): string => bareName(arg.slice(0, -"={}".length));
const bareName = (name: string): string => name.replace(/^[-+]+/, "");

/** The script's arguments at a point. */
export function argumentsAt(parameters: readonly GridParameter[], args: readonly string[], values: Values): string[] {
  const placed = args.map((arg) => {
    const parameter = parameters.find(({ name, way }) => way === "placeholder" && isPlaceOf(arg, name));
    return parameter === undefined ? arg : arg.replace(/\{\}$/, () => values[parameter.name] ?? "");
  });
  const added = parameters.flatMap(({ name, way }) => {
    const option = name.startsWith("-") ? name : `--${name}`;
    const value = values[name] ?? "";
    if (way === "flag") return value === "on" ? [option] : [];
    // In one word where the value looks like an option itself.
    return way !== "option" ? [] : value.startsWith("-") ? [`${option}=${value}`] : [option, value];
  });
  return [...placed, ...added];
}

/** Variables of the script at a point. */
export function variablesAt(parameters: readonly GridParameter[], values: Values): Values {
  return Object.fromEntries(
    parameters.flatMap(({ name, way }) => (way === "environment" ? [[name, values[name] ?? ""]] : [])),
  );
}

function wrong(message: string, hint: string): UserError {
  return new UserError("usage", message, hint);
}
