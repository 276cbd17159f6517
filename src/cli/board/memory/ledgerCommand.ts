/** `ledger`: where all of the board's RAM was at one moment of a run. */
import * as path from "node:path";
import { ledgerText } from "../../../board/ledger/ledgerText.ts";
import type { Ledger, LedgerChange } from "../../../board/ledger/model.ts";
import type { Moment } from "../../../board/moments/model.ts";
import type { MomentTable } from "../../../board/moments/momentTable.ts";
import { peakWords } from "../../../board/moments/peak.ts";
import type { ToolReading } from "../../../board/tools/model.ts";
import { toolReadings } from "../../../board/tools/toolReadings.ts";
import { toolsText } from "../../../board/tools/toolsText.ts";
import { openMassif } from "../../../massif/node/massifSource.ts";
import { peakPlace } from "../../../massif/snapshots.ts";
import { present } from "../../../profile/files/jsonRecords.ts";
import type { RunInfo, RunOrigin } from "../../../profile/model.ts";
import { runTitle } from "../../../profile/run/runJson.ts";
import { formatCount, formatDuration } from "../../../profile/text/format.ts";
import { printable } from "../../../profile/text/text.ts";
import { UserError } from "../../../profile/userError.ts";
import { t } from "../../../words/t.ts";
import { findRun } from "../../runs/runLookup.ts";
import { jsonText, type Output } from "../../terminal/output.ts";
import { placeOfRun } from "../boardPlace.ts";
import type { LedgerCommand } from "./ledgerCommandLine.ts";
import { readLedger } from "./ledgerOfRun.ts";

/** @throws UserError */
export async function showLedger(command: LedgerCommand, output: Output): Promise<void> {
  const folder = await findRun(command.run, path.resolve(command.project ?? "."));
  const { run, origin, table, moment, ledger, changes } = await readLedger(folder, command.at);
  const readings = command.tools ? toolReadings(moment, await massifPeak(folder, run)) : undefined;
  if (command.json) {
    output.write(jsonText(ledgerJson(run.id, moment, table.header()?.simulated, ledger, changes, readings)));
    return;
  }
  const parts = [
    heading(run, origin, moment, table),
    ...(table.unreadable > 0
      ? [t("Note: Records of moments.jsonl that cannot be read: {0}.", formatCount(table.unreadable))]
      : []),
    "",
    ledgerText(ledger, changes),
    ...(readings === undefined ? [] : ["", t('What each tool calls "used" at this moment:'), toolsText(readings)]),
  ];
  output.write(`${parts.join("\n")}\n`);
}

function heading(run: RunInfo, origin: RunOrigin | undefined, moment: Moment, table: MomentTable): string {
  const place = placeOfRun(origin, table.header()?.simulated ?? run.board.simulated);
  const facts = [runTitle(run), run.board.model, place].filter((fact) => fact !== undefined);
  const age =
    moment.processesAgeMs > 0 ? t("; other programs as of {0} before", formatDuration(moment.processesAgeMs)) : "";
  return `${printable(facts.join(" · "))}\n${printable(`${momentText(moment, table)}${age}`)}`;
}

function momentText(moment: Moment, table: MomentTable): string {
  if (moment.baseline) return t("Before the script was started");
  const peak = table.peak();
  const kind = peak !== undefined && table.moment(peak).t === moment.t ? table.peakKind() : undefined;
  const which = kind === undefined ? "" : `, ${peakWords(kind)}`;
  const line = moment.at === undefined ? "" : t(", at {0}:{1}", moment.at.path, moment.at.line);
  return t("{0} after the start{1}{2}", formatDuration(moment.t), which, line);
}

/** Of the main process of a run under massif, as it counted. */
async function massifPeak(
  folder: string,
  run: RunInfo,
): Promise<{ massif?: { readonly bytes: number; readonly pages: boolean } }> {
  const main = run.processes.find(({ kind }) => kind === "main");
  if (run.engine.name !== "massif" || main === undefined) return {};
  try {
    const { snapshots } = (await openMassif(path.join(folder, `massif.out.${main.pid}`))).file;
    const peak = snapshots[peakPlace(snapshots) ?? -1];
    return peak === undefined ? {} : { massif: { bytes: peak.heap, pages: run.engine.massif?.pagesAsHeap === true } };
  } catch (error) {
    // Massif may not have come to write it; the other tools are still told.
    if (error instanceof UserError) return {};
    throw error;
  }
}

function ledgerJson(
  id: string,
  moment: Moment,
  simulated: string | undefined,
  { total, rows, notes }: Ledger,
  changes: readonly LedgerChange[] | undefined,
  readings: readonly ToolReading[] | undefined,
): object {
  return present({
    schema: 1,
    run: { id },
    simulated,
    t_ms: moment.t,
    baseline: moment.baseline,
    at: moment.at,
    mem_total_bytes: total,
    rows,
    notes,
    changes,
    tools: readings,
  });
}
