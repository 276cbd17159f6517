/** What the reports for CI systems have in common: each finding with its place in the repository. Pure. */
import { createHash } from "node:crypto";
import { defined } from "../../profile/defined.ts";
import { cellOf } from "../../profile/notebook.ts";
import type { Check, Finding, GateReport, Outcome } from "../model.ts";
import { checkTitle, inFolder, ruleOf } from "../words.ts";

/** `failure`: a limit is broken. `error`: it could not be judged. `warning`: told, but it does not fail. */
export type Level = "failure" | "error" | "warning";

export interface Problem {
  readonly check: Check;
  readonly rule: string;
  /** The check, with its limit. */
  readonly title: string;
  readonly level: Level;
  readonly message: string;
  /** In the repository, with `/`; the program's own file for the run as a whole, absent where that is not known. */
  readonly path?: string;
  /** 1-based; absent for the run as a whole. */
  readonly line?: number;
  /** The same for the same problem in the next run, wherever the line has moved. */
  readonly fingerprint: string;
}

export function levelOf(outcome: Exclude<Outcome, "kept">, strict: boolean): Level {
  switch (outcome) {
    case "broken":
      return "failure";
    case "unknown":
      return "error";
    case "unsure":
      return strict ? "failure" : "warning";
  }
}

/** @param folder where the project lies in the repository, with `/`; empty where it is the repository */
export function problemsOf({ results, strict, program }: GateReport, folder: string): Problem[] {
  const seen = new Map<string, number>();
  return results.flatMap(({ check, findings }) =>
    findings.map((finding): Problem => {
      const path = finding.place?.path ?? program;
      const identity = JSON.stringify([
        ruleOf(check),
        "metric" in check ? check.metric : "",
        ...identityOf(finding, path),
      ]);
      const count = seen.get(identity) ?? 0;
      seen.set(identity, count + 1);
      return {
        check,
        rule: ruleOf(check),
        title: checkTitle(check),
        level: levelOf(finding.outcome, strict),
        ...located(finding, path, folder),
        fingerprint: createHash("sha256").update(`${identity} ${count}`).digest("hex"),
      };
    }),
  );
}

/** A line of a notebook's cell is no line of its file. */
function located(
  { message, place }: Finding,
  path: string | undefined,
  folder: string,
): Pick<Problem, "message" | "path" | "line"> {
  if (path === undefined) return { message };
  const cell = cellOf(path);
  if (cell === undefined) return { message, path: inFolder(path, folder), ...defined({ line: place?.line }) };
  const where = place === undefined ? "" : `Cell ${cell.number}, line ${place.line}: `;
  return { message: `${where}${message}`, path: inFolder(cell.notebook, folder) };
}

/** A line is known by its text, as its number changes with every edit above it. */
function identityOf({ place }: Finding, path: string | undefined): (string | number)[] {
  return [path ?? "", ...(place === undefined ? [] : [place.text?.trim() ?? place.line])];
}
