import { t } from "../../words/t.ts";
import type { RunInfo } from "../model.ts";

/** What a process of the run is called. */
export function processName({ processes }: Pick<RunInfo, "processes">, pid: number | undefined): string {
  return processes.find((process) => process.pid === pid)?.label ?? t("process {0}", pid ?? "unknown");
}
