/** What hovering a line shows. */

import { lineLoads } from "../../profile/loads/lineLoads.ts";
import { loadedFiles, loadFigures } from "../../profile/loads/loadText.ts";
import type { LineRow, Profile } from "../../profile/model.ts";
import { lineByRank, ranksOf } from "../../profile/ranks/ranks.ts";
import { originName } from "../../profile/run/origin.ts";
import { runTitle } from "../../profile/run/runJson.ts";
import { formatBytes, formatChange, formatCount, formatDuration } from "../../profile/text/format.ts";
import { measuredElsewhere } from "../../profile/text/measuredElsewhere.ts";
import { PHASE_NAMES, PHASES_NOTE, phaseCosts } from "../../profile/torch/phases.ts";
import { say, sentences, t } from "../../words/t.ts";
import { changeCell, GAP, lineFigures } from "./lineFigures.ts";
import { escapeMarkdown, table } from "./markdown.ts";

/** More are as many screens. */
const MOST_PROCESSES = 32;

export interface HoveredLine {
  readonly path: string;
  /** As it was profiled, 1-based. */
  readonly line: number;
  /** The line's text when it was profiled, where the document has another one now. */
  readonly changedFrom?: string;
}

/** Markdown, or undefined where the line was not measured. */
export function hoverText(profile: Profile, { path, line, changedFrom }: HoveredLine): string | undefined {
  const row = lineOf(profile.files, path, line);
  if (row === undefined) return undefined;
  const imported = measuredElsewhere(profile.run);
  const { figures, legend } = lineFigures(row, profile.metrics, profile.cuda.values(), imported);
  const phases = phasesBegun(profile, path, line);
  const parts = [...sinceNote(profile), ...figures, ...phases, ...loaded(profile, path, line)];
  const processes = processRows(profile, path, line);
  if (processes.length > 1) {
    const cuda = profile.metrics.has("cuda") ? [t("CUDA allocated")] : [];
    parts.push(
      table(
        [
          ranksOf(profile.run).length > 0 ? t("Rank") : t("Process"),
          t("Hits"),
          t("Net"),
          t("This line alone"),
          t("Largest"),
          t("Peak above entry"),
          t("Usage after"),
          ...cuda,
        ],
        processes,
      ),
    );
  }
  if (row.net === undefined && row.self !== undefined && imported === undefined) parts.push(unended(profile));
  if (changedFrom !== undefined) {
    parts.push(changedNote(changedFrom));
  }
  parts.push(...legend, ...(phases.length === 0 ? [] : [say(PHASES_NOTE)]), runNote(profile));
  return parts.join("\n\n");
}

function unended({ run, since }: Profile): string {
  if (since !== undefined) return t("Of what the lines that it called took, it is not known what came since then.");
  return run.state === "running"
    ? t("This line has not ended yet.")
    : t("This line's last execution never ended, so what it took in all is not known.");
}

function sinceNote({ since }: Profile): string[] {
  if (since === undefined) return [];
  return [t("**Since {0} of the run.** What came before is not in these figures.", formatDuration(since))];
}

export function changedNote(changedFrom: string): string {
  return t("**Changed since the run.** The figures belong to: {0}", escapeMarkdown(changedFrom.trim()));
}

export function lineOf(files: Profile["files"], path: string, line: number): LineRow | undefined {
  return files.find((file) => file.path === path)?.lines.find((row) => row.line === line);
}

function processRows(profile: Profile, path: string, line: number): string[][] {
  const rows = lineByRank(profile, path, line);
  const cells = rows
    .slice(0, MOST_PROCESSES)
    .map(({ name, row }) => [
      escapeMarkdown(name),
      row.hits === undefined ? "" : formatCount(row.hits),
      change(row.net) ?? "",
      change(row.self) ?? "",
      change(row.maxIncrement) ?? "",
      change(row.peak) ?? "",
      row.usage === undefined ? "" : formatBytes(row.usage),
      ...(profile.metrics.has("cuda") ? [changeCell(row.cuda?.net)] : []),
    ]);
  return rows.length <= MOST_PROCESSES ? cells : [...cells, [t("{0} more", rows.length - MOST_PROCESSES)]];
}

/** What the parts of the run's life that began on the line took. */
function phasesBegun(profile: Profile, path: string, line: number): string[] {
  const begun = phaseCosts(profile).filter(({ at }) => at?.path === path && at.line === line);
  if (begun.length === 0) return [];
  const rows = begun.map(({ phase, process, inUse, reserved, outside }) => [
    escapeMarkdown(process === undefined ? say(PHASE_NAMES[phase]) : t("{0}, {1}", say(PHASE_NAMES[phase]), process)),
    changeCell(inUse),
    changeCell(reserved),
    outside === undefined ? changeCell(outside) : `~\u00a0${changeCell(outside)}`,
  ]);
  const headings = [t("Board in use"), t("CUDA reserved"), t("Outside the allocator")].map(
    (heading) => `${GAP}${heading}`,
  );
  return [table([t("Began on this line"), ...headings], rows)];
}

/** The large files that were read while the line ran, and what that took. */
function loaded(profile: Profile, path: string, line: number): string[] {
  return lineLoads(profile)
    .filter((load) => load.path === path && load.line === line)
    .map((load) => t("Loaded here: {0}.", escapeMarkdown([loadedFiles(load), ...loadFigures(load)].join(t("; ")))));
}

function change(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : formatChange(bytes);
}

export function runNote({ run, origin }: Profile): string {
  const title = escapeMarkdown(runTitle(run));
  const place = origin && escapeMarkdown(originName(origin, run.board.simulated));
  const there =
    place === undefined ? title : origin?.inside ? t("{0} in {1}", title, place) : t("{0} on {1}", title, place);
  const ran = run.started === undefined ? there : t("{0}, {1}", there, escapeMarkdown(whenText(run.started)));
  return sentences(t("Run: {0}.", ran), t("1 MiB is 1,048,576 bytes."), openEnd(run));
}

/** What keeps the figures from being those of the whole script. */
function openEnd({ state, exit }: Profile["run"]): string | undefined {
  if (state === "running") return t("The run is still in progress.");
  return exit?.kind === "lost" ? t("The run was lost before it ended: its figures end there.") : undefined;
}

function whenText(started: string): string {
  const time = new Date(started);
  return Number.isNaN(time.getTime()) ? started : t("{0} UTC", time.toISOString().slice(0, 16).replace("T", " "));
}
