/** What a sweep needs of one run, from its folder. */
import * as path from "node:path";
import type { EndingReport } from "../../board/ending/model.ts";
import { identifyBoard } from "../../board/identity/identify.ts";
import { availableBefore, boardGrowth } from "../../board/moments/available.ts";
import { cudaPeak } from "../../board/moments/cudaPeak.ts";
import { explainRun } from "../../board/node/readEnding.ts";
import { readMoments } from "../../board/node/readMoments.ts";
import { readable, readText } from "../../profile/files/fileReading.ts";
import { present } from "../../profile/files/jsonRecords.ts";
import type { Phase, Profile, RunInfo } from "../../profile/model.ts";
import { originName } from "../../profile/run/origin.ts";
import { openRunFolder } from "../../profile/run/runFolder.ts";
import { formatBytes } from "../../profile/text/format.ts";
import { t } from "../../words/t.ts";
import type { Room, SweepRun, Values } from "../model.ts";

/**
 * A run whose connection was lost before its record came home may go on on the board for all that is known.
 * @throws UserError as reading a run throws
 */
export async function readSweepRun(folder: string, values: Values): Promise<SweepRun> {
  if ((await readText(path.join(folder, "run.json"))) === undefined) {
    return { folder, values, outcome: "running", peaks: {}, simulated: false };
  }
  const reader = openRunFolder(folder);
  await reader.refresh();
  const profile = reader.profile();
  const { run, origin } = profile;
  const moments = await readable(readMoments(folder));
  const report = hasEndedBadly(run) ? (await explainRun(reader)).report : undefined;
  return present({
    folder,
    values,
    outcome: outcomeOf(run, report),
    exit: run.exit,
    reason: report?.headline,
    peaks: present({
      rss: reader.rssPeak(),
      board: moments && boardGrowth(moments, reader.samples()),
      // Where CUDA was started and nothing reserved, it was not used.
      cuda: cudaPeak(profile, moments) || undefined,
    }),
    elapsedMs: run.elapsedMs,
    available: moments && availableBefore(moments),
    cudaRoom: cudaRoom(profile, report),
    target: origin === undefined ? undefined : originName(origin, run.board.simulated),
    simulated: origin?.simulated === true || run.board.simulated !== undefined,
  });
}

function outcomeOf({ state, exit }: RunInfo, report: EndingReport | undefined): SweepRun["outcome"] {
  if (state === "running") return "running";
  if (report !== undefined) return "out-of-memory";
  if (exit?.kind === "exited") return exit.code === 0 ? "fits" : "failed";
  return exit?.kind === "cancelled" || exit?.kind === "not-started" ? "stopped" : "failed";
}

function hasEndedBadly({ state, exit }: RunInfo): boolean {
  return state === "finished" && !(exit?.kind === "exited" && exit.code === 0);
}

/** From PyTorch's own words where it ran out, else, where CPU and GPU share one memory, what was left to it at first. */
function cudaRoom({ run, phases }: Profile, report: EndingReport | undefined): Room | undefined {
  const said = report?.allocator;
  const held = said?.reserved ?? sumOf(said?.allocated, said?.unallocated);
  if (said?.free !== undefined && held !== undefined) {
    return {
      bytes: said.free + held,
      how: t("what PyTorch held and what was free on the GPU when memory ran out, in its own words"),
    };
  }
  if (!identifyBoard(run.board).tegra) return undefined;
  const first = phases.find(({ phase, memAvailable: left }) => afterCuda(phase) && left !== undefined);
  if (first?.memAvailable === undefined) return undefined;
  return {
    bytes: first.memAvailable + (first.reserved ?? 0),
    how: t(
      "available on the board once CUDA had started (MemAvailable), with the {0} that PyTorch held by then, swap not counted",
      formatBytes(first.reserved ?? 0),
    ),
  };
}

const afterCuda = (phase: Phase["phase"]): boolean => phase !== "import-torch" && phase !== "cuda";

const sumOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b;
