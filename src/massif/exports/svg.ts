/** A flame graph as one SVG file: no script, names on hovering, for light and dark backgrounds. */
import { formatBytes, formatChange, formatCount, formatShare, withBand } from "../../profile/text/format.ts";
import { escapeMarkup as escaped } from "../../profile/text/markup.ts";
import { t } from "../../words/t.ts";
import { changeWeights } from "../difference.ts";
import type { DifferenceTree, Frame, FrameTree } from "../model.ts";
import { doubtsOf } from "../sampled.ts";
import { fullName, shortName } from "../tree/frameNames.ts";
import { type Layout, layOut } from "../tree/layout.ts";
import { inPieces } from "./pieces.ts";

/** In pixels of the picture. */
export const FLAME_WIDTH = 1200;
const ROW = 18;
const TOP = 34;
const LEAST_WIDTH = 0.25;
const CHARACTER = 7.3;

export interface PictureOptions {
  readonly title: string;
  /** What is narrower is left out, with all below it. */
  readonly leastWidth?: number;
}

/** What is drawn: the root on top, a row for each step away from it. Its style is for what is inside of it only. */
export function flameGraphSvg(subject: FrameTree | DifferenceTree, options: PictureOptions): Generator<string> {
  return inPieces("before" in subject ? changes(subject, options) : sizes(subject, options));
}

function* sizes(tree: FrameTree, { title, leastWidth = LEAST_WIDTH }: PictureOptions): Generator<string> {
  const all = tree.total[0] ?? 0;
  const layout = layOut(tree, { minWidth: leastWidth / FLAME_WIDTH });
  const classes = tree.frames.map(frameClass);
  const doubts = doubtsOf(tree);
  yield* picture(tree, layout, `${title}: ${formatBytes(all)}`, (node) => {
    const total = tree.total[node] ?? 0;
    const own = tree.self[node] ?? 0;
    const ownText = own === 0 || own === total ? "" : `\n${t("{0} in stacks that end here", formatBytes(own))}`;
    return {
      style: classes[tree.frame[node] ?? 0] ?? "",
      figures: `${t("{0}, {1} of all", withBand(exactly(total), doubts?.bandOf(doubts.total[node])), percent(total, all))}${ownText}`,
    };
  });
}

function* changes(
  { tree, before, after }: DifferenceTree,
  { title, leastWidth = LEAST_WIDTH }: PictureOptions,
): Generator<string> {
  const layout = layOut(tree, { weights: changeWeights(tree), minWidth: leastWidth / FLAME_WIDTH });
  yield* picture(tree, layout, `${title}: ${formatChange(tree.total[0] ?? 0)}`, (node) => {
    const change = tree.total[node] ?? 0;
    return {
      style: change > 0 ? "grown" : change < 0 ? "shrunk" : "all",
      figures: t(
        "{0}: {1} before, {2} after",
        formatChange(change),
        exactly(before[node] ?? 0),
        exactly(after[node] ?? 0),
      ),
    };
  });
}

function* picture(
  tree: FrameTree,
  layout: Layout,
  heading: string,
  describe: (node: number) => { readonly style: string; readonly figures: string },
): Generator<string> {
  const height = TOP + (layout.rows.length - 1) * ROW + 8;
  yield `<svg xmlns="http://www.w3.org/2000/svg" class="flame-graph" viewBox="0 0 ${FLAME_WIDTH} ${height}" width="${FLAME_WIDTH}" height="${height}">\n`;
  yield `<title>${escaped(heading)}</title>\n<style>${FLAME_STYLE}</style>\n${PATTERNS}\n<rect class="paper" width="${FLAME_WIDTH}" height="${height}"/>\n`;
  yield `<text class="heading" x="8" y="22">${escaped(heading)}</text>\n`;
  for (let at = 0; at < layout.node.length; at++) {
    const node = layout.node[at] ?? 0;
    const frame = tree.frames[tree.frame[node] ?? 0] ?? { kind: "all" };
    const { style, figures } = describe(node);
    const x = (layout.x0[at] ?? 0) * FLAME_WIDTH;
    const width = (layout.x1[at] ?? 0) * FLAME_WIDTH - x;
    const y = TOP + (layout.depth[at] ?? 0) * ROW;
    const place = `x="${x.toFixed(2)}" y="${y}" width="${Math.max(0, width).toFixed(2)}" height="${ROW - 1}"`;
    yield `<g><title>${escaped(`${fullName(frame)}\n${figures}`)}</title><rect class="${style}" ${place}/>`;
    const label = fitting(shortName(frame), Math.floor((width - 6) / CHARACTER));
    yield label === "" ? "</g>\n" : `<text x="${(x + 3).toFixed(2)}" y="${y + 13}">${escaped(label)}</text></g>\n`;
  }
  yield "</svg>\n";
}

/** Nothing where there is no room for three characters. */
function fitting(name: string, characters: number): string {
  const text = [...name];
  if (characters < 3) return "";
  return text.length <= characters ? name : `${text.slice(0, characters - 1).join("")}…`;
}

function exactly(bytes: number): string {
  const short = formatBytes(bytes);
  return short.endsWith(" B") ? short : `${short} (${formatCount(bytes)} bytes)`;
}

function percent(part: number, all: number): string {
  return all === 0 ? "0 %" : formatShare(part / all);
}

function frameClass(frame: Frame): string {
  return frame.kind === "native" && frame.interpreter ? "interpreter" : frame.kind;
}

/**
 * What has grown and what has shrunk differ by their pattern too. A page that has a picture in it may have to name its
 * style in its policy.
 */
export const FLAME_STYLE = `
.flame-graph text { font: 12px ui-monospace, Consolas, Menlo, monospace; fill: #1b1b1b; pointer-events: none; }
.flame-graph .heading { font: bold 14px system-ui, sans-serif; }
.flame-graph .paper { fill: #ffffff; }
.flame-graph .python { fill: #7fb2e5; }
.flame-graph .native { fill: #f2b880; }
.flame-graph .interpreter { fill: #d9d9d9; }
.flame-graph .all { fill: #c9cdd2; }
.flame-graph .below-threshold { fill: url(#hatched); }
.flame-graph .grown { fill: url(#striped); }
.flame-graph .shrunk { fill: url(#dotted); }
.flame-graph g:hover rect { stroke: currentColor; stroke-width: 1; }
.flame-graph .ink { stroke: #8a8a8a; }
.flame-graph .hatch-paper { fill: #ececec; }
.flame-graph .grown-paper { fill: #f4a3a0; }
.flame-graph .grown-ink { stroke: #e07a76; }
.flame-graph .shrunk-paper { fill: #9cc3ee; }
.flame-graph .shrunk-ink { fill: #6d9fd6; }
@media screen and (prefers-color-scheme: dark) {
  .flame-graph text { fill: #f0f0f0; }
  .flame-graph .paper { fill: #1e1e1e; }
  .flame-graph .python { fill: #2b5f94; }
  .flame-graph .native { fill: #8a5320; }
  .flame-graph .interpreter { fill: #4d4d4d; }
  .flame-graph .all { fill: #44494f; }
  .flame-graph .ink { stroke: #777777; }
  .flame-graph .hatch-paper { fill: #383838; }
  .flame-graph .grown-paper { fill: #8c2f2b; }
  .flame-graph .grown-ink { stroke: #b04a45; }
  .flame-graph .shrunk-paper { fill: #274f7d; }
  .flame-graph .shrunk-ink { fill: #4478ad; }
}
`;

const PATTERNS = `<defs>
<pattern id="hatched" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch-paper" width="6" height="6"/><path class="ink" d="M0 0V6"/></pattern>
<pattern id="striped" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="grown-paper" width="8" height="8"/><path class="grown-ink" stroke-width="3" d="M0 0V8"/></pattern>
<pattern id="dotted" width="6" height="6" patternUnits="userSpaceOnUse"><rect class="shrunk-paper" width="6" height="6"/><circle class="shrunk-ink" cx="3" cy="3" r="1.2"/></pattern>
</defs>`;
