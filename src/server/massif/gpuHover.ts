/** What hovering a line shows of the GPU memory that went past PyTorch's allocator. Pure. */
import { type GpuProcess, type GpuShare, type GpuSums, gpuOfLine } from "../../profile/gpu/gpuMemory.ts";
import { formatBytes, orUnknown, UNKNOWN } from "../../profile/text/format.ts";
import { sentences, t } from "../../words/t.ts";
import type { HoveredLine } from "../lines/hover.ts";
import { escapeMarkdown, table } from "../lines/markdown.ts";

const MOST_ASKERS = 6;

const size = (bytes: number | undefined): string => orUnknown(bytes, formatBytes);
const about = (bytes: number | undefined): string => (bytes === undefined ? UNKNOWN : `~ ${formatBytes(bytes)}`);

/** A figure for the hover's first line, and Markdown for below. */
export function gpuPart(
  processes: readonly GpuProcess[],
  nameOf: (pid: number) => string,
  { path, line }: HoveredLine,
): { readonly figure: string; readonly details: readonly string[] } | undefined {
  const [first, ...more] = gpuOfLine(processes, path, line);
  if (first === undefined) return undefined;
  const { asked, fallen, unsure, askers } = first;
  const rows = [
    ...(asked === undefined ? [] : askedRows(asked)),
    ...(unsure === undefined ? [] : [[t("By a library that is not known, which may be PyTorch's"), size(unsure.peak)]]),
    ...(fallen === undefined ? [] : [[t("CUDA's own, by the GPU's free memory"), about(fallen.peak)]]),
  ];
  const shown = askers
    .slice(0, MOST_ASKERS)
    .map(({ name, measured, peak }) => [escapeMarkdown(name), measured === "call" ? size(peak) : about(peak)]);
  const known = [
    ...(asked === undefined ? [] : [size(asked.peak)]),
    ...(fallen === undefined ? [] : [about(fallen.peak)]),
  ];
  const sum = known.length === 0 ? UNKNOWN : `${unsure === undefined ? "" : "≥ "}${known.join(" + ")}`;
  if (askers.length > MOST_ASKERS) shown.push([t("and {0} more", askers.length - MOST_ASKERS), ""]);
  return {
    figure: t("**GPU past PyTorch** {0}", sum),
    details: [
      table([t("GPU memory past PyTorch"), t("this line")], rows),
      table([t("Asked for by"), t("at the GPU peak")], shown),
      sentences(...notes(first, more.length, nameOf)),
    ],
  };
}

function askedRows({ live, peak, most, rows }: GpuSums): string[][] {
  return [
    [t("Held at the process's GPU peak"), size(peak)],
    [t("Held at the process's end"), size(live)],
    [rows === 1 ? t("The most it held at once") : t("The most it held at once, at most"), size(most)],
  ];
}

function notes(
  { asked, fallen, process }: GpuShare,
  more: number,
  nameOf: (pid: number) => string,
): (string | undefined)[] {
  return [
    ...(asked === undefined ? [] : [t("What CUDA was asked for while the line was open is exact.")]),
    ...(fallen === undefined
      ? []
      : [t("What CUDA takes for itself is by how much free memory fell: other programs' changes are in it.")]),
    ofProcesses(more + 1, nameOf(process.pid)),
  ];
}

/** Whose figures are shown, where several processes have some. */
export function ofProcesses(count: number, name: string): string | undefined {
  return count < 2 ? undefined : t("Of the {0} processes that have it, this is {1}.", count, escapeMarkdown(name));
}
