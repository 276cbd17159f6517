/** What hovering a line shows. */
import { formatBytes, formatChange, formatCount } from "../profile/format.ts";
import type { LineRow, Profile } from "../profile/model.ts";
import { targetName } from "../profile/origin.ts";
import { PHASE_NAMES, PHASES_NOTE, phaseCosts } from "../profile/phases.ts";
import { runTitle } from "../profile/runJson.ts";
import { changeCell, GAP, lineFigures } from "./lineFigures.ts";
import { escapeMarkdown, table } from "./markdown.ts";

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
  const { figures, legend } = lineFigures(row, profile.metrics, profile.cuda.values());
  const phases = phasesBegun(profile, path, line);
  const parts = [...figures, ...phases];
  const processes = processRows(profile, path, line);
  if (processes.length > 1) {
    const cuda = profile.metrics.has("cuda") ? ["CUDA allocated"] : [];
    parts.push(
      table(
        ["Process", "Hits", "Net", "This line alone", "Largest", "Peak above entry", "Usage after", ...cuda],
        processes,
      ),
    );
  }
  if (row.net === undefined && row.self !== undefined) {
    parts.push(
      profile.run.state === "running"
        ? "This line has not ended yet."
        : "This line never ended, so what it took in all is not known.",
    );
  }
  if (changedFrom !== undefined) {
    parts.push(changedNote(changedFrom));
  }
  parts.push(...legend, ...(phases.length === 0 ? [] : [PHASES_NOTE]), runNote(profile));
  return parts.join("\n\n");
}

export function changedNote(changedFrom: string): string {
  return `**Changed since the run.** The figures belong to: ${escapeMarkdown(changedFrom.trim())}`;
}

function lineOf(files: Profile["files"], path: string, line: number): LineRow | undefined {
  return files.find((file) => file.path === path)?.lines.find((row) => row.line === line);
}

function processRows(profile: Profile, path: string, line: number): string[][] {
  return [...profile.byProcess].flatMap(([pid, files]) => {
    const row = lineOf(files, path, line);
    if (row === undefined) return [];
    const process = profile.run.processes.find((candidate) => candidate.pid === pid);
    return [
      [
        escapeMarkdown(process?.label ?? `process ${pid}`),
        formatCount(row.hits),
        change(row.net) ?? "",
        change(row.self) ?? "",
        change(row.maxIncrement) ?? "",
        change(row.peak) ?? "",
        row.usage === undefined ? "" : formatBytes(row.usage),
        ...(profile.metrics.has("cuda") ? [changeCell(row.cuda?.net)] : []),
      ],
    ];
  });
}

/** What the parts of the run's life that began on the line took. */
function phasesBegun(profile: Profile, path: string, line: number): string[] {
  const begun = phaseCosts(profile).filter(({ at }) => at?.path === path && at.line === line);
  if (begun.length === 0) return [];
  const rows = begun.map(({ phase, process, inUse, reserved, outside }) => [
    escapeMarkdown(process === undefined ? PHASE_NAMES[phase] : `${PHASE_NAMES[phase]}, ${process}`),
    changeCell(inUse),
    changeCell(reserved),
    outside === undefined ? changeCell(outside) : `~\u00a0${changeCell(outside)}`,
  ]);
  const headings = ["Board in use", "CUDA reserved", "Outside the allocator"].map((heading) => `${GAP}${heading}`);
  return [table(["Began on this line", ...headings], rows)];
}

function change(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : formatChange(bytes);
}

export function runNote({ run, origin }: Profile): string {
  const where =
    origin === undefined
      ? ""
      : ` on ${escapeMarkdown(targetName(origin.target, origin.simulated, run.board.simulated))}`;
  const when = run.started === undefined ? "" : `, ${escapeMarkdown(whenText(run.started))}`;
  const live = run.state === "running" ? " The run is still going on." : "";
  return `Run: ${escapeMarkdown(runTitle(run))}${where}${when}. 1 MiB is 1,048,576 bytes.${live}`;
}

function whenText(started: string): string {
  const time = new Date(started);
  return Number.isNaN(time.getTime()) ? started : `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
