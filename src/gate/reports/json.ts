/** The report as JSON for other programs. Sizes in bytes. Pure. */
import { present } from "../../profile/files/jsonRecords.ts";
import type { GateReport } from "../model.ts";

export function jsonReport({ run, baseline, results, notes, strict, verdict }: GateReport): object {
  return present({
    schema: 1,
    verdict,
    strict,
    run: present({ folder: run.folder, title: run.title, elapsed_ms: run.elapsedMs }),
    baseline,
    checks: results.map(({ check, outcome, message, findings }) => ({
      ...(check.kind === "ending" ? { kind: check.kind } : limitJson(check)),
      outcome,
      message,
      findings: findings.map((finding) =>
        present({
          outcome: finding.outcome,
          message: finding.message,
          actual_bytes: finding.actual,
          path: finding.place?.path,
          line: finding.place?.line,
          text: finding.place?.text,
        }),
      ),
    })),
    notes,
  });
}

function limitJson({ kind, metric, limit }: { kind: string; metric: string; limit: number }): object {
  return { kind, metric, limit_bytes: limit };
}
