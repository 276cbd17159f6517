/** Where all of the board's RAM was at one moment of a run, from its folder. */
import { withGpuParts } from "../../../board/ledger/gpuParts.ts";
import { compareLedgers, makeLedger } from "../../../board/ledger/ledger.ts";
import type { Ledger, LedgerChange } from "../../../board/ledger/model.ts";
import { withMissedPeak } from "../../../board/moments/missedPeak.ts";
import type { Moment } from "../../../board/moments/model.ts";
import type { MomentTable } from "../../../board/moments/momentTable.ts";
import { readMoments } from "../../../board/node/readMoments.ts";
import { defined } from "../../../profile/defined.ts";
import { readGpuSummaries } from "../../../profile/gpu/gpuFiles.ts";
import type { RunInfo, RunOrigin } from "../../../profile/model.ts";
import { readRunHead } from "../../../profile/run/runHead.ts";
import { UserError } from "../../../profile/userError.ts";
import { t } from "../../../words/t.ts";
import type { MomentChoice } from "./ledgerCommandLine.ts";

export interface LedgerOfRun {
  readonly run: RunInfo;
  readonly origin?: RunOrigin;
  readonly table: MomentTable;
  readonly moment: Moment;
  readonly ledger: Ledger;
  /** Against right before the run, where that was read. */
  readonly changes?: readonly LedgerChange[];
}

/** @throws UserError `no-moments`, `no-baseline`, and as of reading a run */
export async function readLedger(folder: string, at: MomentChoice): Promise<LedgerOfRun> {
  const { run, origin, rssPeak } = await readRunHead(folder);
  const table = await readMoments(folder);
  if (table === undefined) {
    throw new UserError(
      "no-moments",
      t("The run in {0} has no record of the board's memory (moments.jsonl).", folder),
      t(
        "It was made by an older version, or ended before the board's memory was first read; profile the script again.",
      ),
    );
  }
  const index = indexOf(table, at);
  const moment = table.moment(index);
  const before = table.baseline === undefined || table.baseline === index ? undefined : table.moment(table.baseline);
  const gpu = await readGpuSummaries(folder, run);
  const ledger = withGpuParts(withMissedPeak(makeLedger(moment, before), table, index, rssPeak), moment, gpu);
  const changes = before && compareLedgers(makeLedger(before), ledger);
  return { run, table, moment, ledger, ...defined({ origin, changes }) };
}

function indexOf(table: MomentTable, at: MomentChoice): number {
  // Without a moment while the script was on, the one before it is all there is.
  if (at === "peak") return table.peak() ?? table.baseline ?? 0;
  const index = at === "baseline" ? table.baseline : table.at(at * 1000);
  if (index !== undefined) return index;
  throw new UserError(
    "no-baseline",
    t("The board's memory was not read before this run began."),
    t("Look at another moment, such as --at 0."),
  );
}
