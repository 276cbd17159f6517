/** "Take Allocator Snapshot" of a run that this window is connected to. */

import { t } from "../../words/t.ts";
import type { Report } from "../report/report.ts";
import type { ActiveRun } from "../runs/followed/activeRuns.ts";

export async function takeSnapshot(run: ActiveRun, report: Report): Promise<void> {
  const asked = await run.snapshot();
  if (asked > 0) {
    const text = t("The snapshot is taken when the script's next line begins. It is then listed with the run.");
    report.tell("information", text);
    return;
  }
  report.tell(
    "warning",
    t(
      "No process of the run could be asked for a snapshot: none has used CUDA yet, or its PyTorch is older than 1.13.",
    ),
  );
}
