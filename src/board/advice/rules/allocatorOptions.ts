/** The options of PyTorch's CUDA allocator in a script's environment. */
import { t } from "../../../words/t.ts";
import type { AdviceStep } from "../model.ts";

/** PyTorch 2.9 gave it a second name; it takes the first one from all releases. */
const NAMES = ["PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"] as const;

/** In their order. */
export function allocatorOptions(environment: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const text = environment[nameIn(environment)] ?? "";
  return new Map(
    text
      .split(",")
      .map((option) => option.trim())
      .filter((option) => option !== "")
      .map((option) => {
        const colon = option.indexOf(":");
        return colon < 0 ? [option, ""] : [option.slice(0, colon), option.slice(colon + 1)];
      }),
  );
}

/** Takes one option out and leaves the others: PyTorch refuses a name that it does not know, whatever its value. */
export function withoutOption(
  environment: Readonly<Record<string, string>>,
  option: string,
): AdviceStep & { readonly kind: "environment" } {
  const rest = new Map([...allocatorOptions(environment)].filter(([name]) => name !== option));
  return {
    kind: "environment",
    label: t("Take {0} out for the script", option),
    ...allocatorVariable(environment, rest),
  };
}

/** Sets options beside those that are set already. */
export function allocatorStep(
  environment: Readonly<Record<string, string>>,
  options: readonly (readonly [string, string])[],
): AdviceStep & { readonly kind: "environment" } {
  const all = new Map([...allocatorOptions(environment), ...options]);
  const { name, value } = allocatorVariable(environment, all);
  return { kind: "environment", label: t("Set {0}={1} for the script", name, value), name, value };
}

/** The variable with these options; where none are given, with those that are set. */
export function allocatorVariable(
  environment: Readonly<Record<string, string>>,
  options: ReadonlyMap<string, string> = allocatorOptions(environment),
): { readonly name: string; readonly value: string } {
  const value = [...options].map(([name, setting]) => (setting === "" ? name : `${name}:${setting}`)).join(",");
  return { name: nameIn(environment), value };
}

function nameIn(environment: Readonly<Record<string, string>>): string {
  return NAMES.find((name) => environment[name] !== undefined) ?? NAMES[0];
}
