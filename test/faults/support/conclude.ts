import { expect } from "vitest";
import { type FaultGroup, record } from "./results.ts";
import { counted, type Verdict } from "./truth.ts";

/** Keeps what the trials of a fault came to, then fails where anything was wrong with one. */
export function conclude(group: FaultGroup, fault: string, verdicts: readonly Verdict[]): void {
  record({ kind: "fault", group, fault, ...counted(verdicts) });
  expect(verdicts.flatMap(({ why }) => why)).toEqual([]);
}
