/** Values of parameters: numbers, order, and what is said of them. */
import type { Parameter, SweepRun, Values } from "./model.ts";

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

export function isNumber(text: string): boolean {
  return NUMBER.test(text) && Number.isFinite(Number(text));
}

export function isNumeric({ values }: Parameter): boolean {
  return values.length > 0 && values.every(isNumber);
}

/** Parameters that a limit can be told of, and a plot has as its axis. */
export function axes(parameters: readonly Parameter[]): readonly Parameter[] {
  return parameters.filter((parameter) => parameter.values.length > 1 && isNumeric(parameter));
}

/** Small numbers first; words stay as they are. */
export function inOrder(values: readonly string[]): readonly string[] {
  return isNumeric({ name: "", values }) ? [...values].sort((a, b) => Number(a) - Number(b)) : values;
}

/** All combinations, the last parameter's values beside one another. */
export function combinations(parameters: readonly Parameter[]): Values[] {
  return parameters.reduce<Values[]>(
    (before, { name, values }) => before.flatMap((point) => values.map((value) => ({ ...point, [name]: value }))),
    [{}],
  );
}

export function sameValues(a: Values, b: Values): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

export function without(values: Values, name: string): Values {
  return Object.fromEntries(Object.entries(values).filter(([other]) => other !== name));
}

/** `batch-size 32, device cuda`. */
export function valuesText(values: Values): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value === "" ? '""' : value}`)
    .join(", ");
}

/** A smaller value of one numeric parameter, the others being the same, that ran out of memory. */
export function smallerThatFailed(
  parameters: readonly Parameter[],
  values: Values,
  runs: readonly Pick<SweepRun, "values" | "outcome">[],
): Values | undefined {
  return runs.find(
    (run) =>
      run.outcome === "out-of-memory" &&
      axes(parameters).some(
        ({ name }) =>
          Number(run.values[name]) < Number(values[name]) &&
          sameValues(without(run.values, name), without(values, name)),
      ),
  )?.values;
}
