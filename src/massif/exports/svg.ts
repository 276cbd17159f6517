/** A flame graph as one SVG file: no script, names on hovering, for light and dark backgrounds. */
import { formatBytes, formatChange, formatCount } from "../../profile/format.ts";
import { printable } from "../../profile/text.ts";
import { changeWeights } from "../difference.ts";
import { fullName, shortName } from "../frameNames.ts";
import { type Layout, layOut } from "../layout.ts";
import type { DifferenceTree, Frame, FrameTree } from "../model.ts";
import { inPieces } from "./pieces.ts";

/** In pixels of the picture. */
const WIDTH = 1200;
const ROW = 18;
const TOP = 34;
const LEAST_WIDTH = 0.25;
const CHARACTER = 7.3;

/** What is drawn: the root on top, a row for each step away from it. */
export function flameGraphSvg(
  subject: FrameTree | DifferenceTree,
  { title }: { readonly title: string },
): Generator<string> {
  return inPieces("before" in subject ? changes(subject, title) : sizes(subject, title));
}

function* sizes(tree: FrameTree, title: string): Generator<string> {
  const all = tree.total[0] ?? 0;
  const layout = layOut(tree, { minWidth: LEAST_WIDTH / WIDTH });
  const classes = tree.frames.map(frameClass);
  yield* picture(tree, layout, `${title}: ${formatBytes(all)}`, (node) => {
    const total = tree.total[node] ?? 0;
    const own = tree.self[node] ?? 0;
    const ownText = own === 0 || own === total ? "" : `\n${formatBytes(own)} in stacks that end here`;
    return {
      style: classes[tree.frame[node] ?? 0] ?? "",
      figures: `${exactly(total)}, ${percent(total, all)} of all${ownText}`,
    };
  });
}

function* changes({ tree, before, after }: DifferenceTree, title: string): Generator<string> {
  const layout = layOut(tree, { weights: changeWeights(tree), minWidth: LEAST_WIDTH / WIDTH });
  yield* picture(tree, layout, `${title}: ${formatChange(tree.total[0] ?? 0)}`, (node) => {
    const change = tree.total[node] ?? 0;
    return {
      style: change > 0 ? "grown" : change < 0 ? "shrunk" : "all",
      figures: `${formatChange(change)}: ${exactly(before[node] ?? 0)} before, ${exactly(after[node] ?? 0)} after`,
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
  yield `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">\n`;
  yield `<title>${escaped(heading)}</title>\n${STYLE}\n<rect class="paper" width="${WIDTH}" height="${height}"/>\n`;
  yield `<text class="heading" x="8" y="22">${escaped(heading)}</text>\n`;
  for (let at = 0; at < layout.node.length; at++) {
    const node = layout.node[at] ?? 0;
    const frame = tree.frames[tree.frame[node] ?? 0] ?? { kind: "all" };
    const { style, figures } = describe(node);
    const x = (layout.x0[at] ?? 0) * WIDTH;
    const width = (layout.x1[at] ?? 0) * WIDTH - x;
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
  return all === 0 ? "0 %" : `${((100 * part) / all).toFixed(1)} %`;
}

function frameClass(frame: Frame): string {
  return frame.kind === "native" && frame.interpreter ? "interpreter" : frame.kind;
}

function escaped(text: string): string {
  return text
    .split("\n")
    .map(printable)
    .join("\n")
    .replace(/[\p{Cs}\uFFFE\uFFFF]/gu, "?")
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

// What has grown and what has shrunk differ by their pattern too.
const STYLE = `<style>
text { font: 12px ui-monospace, Consolas, Menlo, monospace; fill: #1b1b1b; pointer-events: none; }
.heading { font: bold 14px system-ui, sans-serif; }
.paper { fill: #ffffff; }
.python { fill: #7fb2e5; }
.native { fill: #f2b880; }
.interpreter { fill: #d9d9d9; }
.all { fill: #c9cdd2; }
.below-threshold { fill: url(#hatched); }
.grown { fill: url(#striped); }
.shrunk { fill: url(#dotted); }
g:hover rect { stroke: currentColor; stroke-width: 1; }
.ink { stroke: #8a8a8a; }
.hatch-paper { fill: #ececec; }
.grown-paper { fill: #f4a3a0; }
.grown-ink { stroke: #e07a76; }
.shrunk-paper { fill: #9cc3ee; }
.shrunk-ink { fill: #6d9fd6; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f0f0; }
  .paper { fill: #1e1e1e; }
  .python { fill: #2b5f94; }
  .native { fill: #8a5320; }
  .interpreter { fill: #4d4d4d; }
  .all { fill: #44494f; }
  .ink { stroke: #777777; }
  .hatch-paper { fill: #383838; }
  .grown-paper { fill: #8c2f2b; }
  .grown-ink { stroke: #b04a45; }
  .shrunk-paper { fill: #274f7d; }
  .shrunk-ink { fill: #4478ad; }
}
</style>
<defs>
<pattern id="hatched" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch-paper" width="6" height="6"/><path class="ink" d="M0 0V6"/></pattern>
<pattern id="striped" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="grown-paper" width="8" height="8"/><path class="grown-ink" stroke-width="3" d="M0 0V8"/></pattern>
<pattern id="dotted" width="6" height="6" patternUnits="userSpaceOnUse"><rect class="shrunk-paper" width="6" height="6"/><circle class="shrunk-ink" cx="3" cy="3" r="1.2"/></pattern>
</defs>`;
