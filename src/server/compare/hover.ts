/** What hovering a line shows while two runs are compared. */
import { COMPARED_NAMES, changeText, noiseText, type Told, told } from "../../compare/label.ts";
import type { ComparedLine, Comparison, Difference, Measured, Side } from "../../compare/model.ts";
import { changeOf } from "../../compare/noise.ts";
import { formatBytes, formatChange, formatCount, UNKNOWN } from "../../profile/text/format.ts";
import { t } from "../../words/t.ts";
import { escapeMarkdown, table } from "../lines/markdown.ts";

const GAP = "&emsp;";

/** Markdown; stands above the later run's own figures. */
export function comparedHover(
  { metric, before, after }: Pick<Comparison, "metric" | "before" | "after">,
  line: ComparedLine,
): string {
  const { net, peak } = line;
  const headings = [t("Before"), t("After"), t("Change"), t("Noise")].map((heading) => `${GAP}${heading}`);
  const rows = [
    figureRow(t("Net, with everything it called"), net),
    ...(known(peak) ? [figureRow(t("Peak above entry"), peak)] : []),
    ["Runs", runs(net.before, before), runs(net.after, after), "", ""],
  ];
  return [
    told(line).map(verdictText).join(" "),
    table([`Compared (${COMPARED_NAMES[metric]})`, ...headings], rows),
    ...(line.edited ? [t("The line was edited between the two.")] : []),
    t("Before: {0}. After: {1}.", escapeMarkdown(before.title), escapeMarkdown(after.title)),
  ].join("\n\n");
}

const known = ({ before, after }: Difference): boolean => before !== undefined || after !== undefined;

function figureRow(name: string, difference: Difference): string[] {
  const { before, after } = difference;
  return [name, cell(before), cell(after), figure(changeText(difference)), noiseCell(difference)];
}

function cell(measured: Measured | undefined): string {
  return measured === undefined ? UNKNOWN : figure(formatChange(measured.median));
}

/** A figure and its unit stay on one line, and do not touch the one before. */
const figure = (text: string): string => `${GAP}${text.replaceAll(" ", "\u00a0")}`;

function noiseCell({ verdict, noise }: Difference): string {
  return verdict === "unknown" ? UNKNOWN : figure(`${noise.known ? "±" : "≥"} ${formatBytes(noise.amount)}`);
}

function runs(measured: Measured | undefined, side: Side): string {
  return formatCount(measured?.runs ?? side.folders.length);
}

/** The change in words: what is within the noise is not called one. */
export function verdictText({ what, difference }: Told): string {
  const { verdict, noise } = difference;
  const change = changeOf(difference);
  const held = what === "peak" ? t("Held at its peak") : "Took";
  if (verdict === "unknown") return t("**Whether it changed is not known:** a side has no figure for this line.");
  if (change === undefined) return t("**No change that can be told from noise** ({0}).", noiseText(noise));
  const size = formatBytes(Math.abs(change));
  if (verdict === "only-after")
    return t("**New:** {0} {1}; the earlier run had no such line.", held.toLowerCase(), size);
  if (verdict === "only-before") return t("**Gone:** {0} {1} before.", held.toLowerCase(), size);
  return t("**{0} {1} {2} than before** ({3}).", held, size, change > 0 ? "more" : "less", noiseText(noise));
}
