import type { Check, CheckResult, Finding, Outcome } from "./model.ts";

/** Of a check, the worst of what was found. */
export function resultOf(check: Check, message: string, findings: readonly Finding[]): CheckResult {
  return { check, outcome: worst(findings), message, findings };
}

export function worst(of: readonly { readonly outcome: Outcome }[]): Outcome {
  const order: readonly Outcome[] = ["broken", "unknown", "unsure"];
  return order.find((outcome) => of.some((one) => one.outcome === outcome)) ?? "kept";
}

export function largestFirst(a: Finding, b: Finding): number {
  return (b.actual ?? 0) - (a.actual ?? 0);
}
