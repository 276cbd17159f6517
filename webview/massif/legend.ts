/** What the graph's colors and stripes mean. */

import { t } from "../../src/words/t.ts";
import { element } from "../dom.ts";
import type { LibraryPlaces } from "../flame/frameLook.ts";
import type { Paint, Palette } from "../flame/palette.ts";
import { fillStyle } from "../flame/patterns.ts";
import type { Graph } from "./analysis/jobs.ts";

const WIDTH = 20;
const HEIGHT = 12;

interface Entry {
  readonly text: string;
  readonly paint: Paint;
  readonly hint?: string;
  /** Marked with the bar of Python frames. */
  readonly bar?: Paint;
}

function entries({ tree, sides, libraries }: Graph, palette: Palette, places: LibraryPlaces): Entry[] {
  const kinds = new Set(tree.frames.map(({ kind }) => kind));
  const python: Entry[] = kinds.has("python")
    ? [{ text: t("Python line"), paint: sides ? palette.unchanged : palette.python, bar: palette.python }]
    : [];
  if (sides)
    return [
      { text: t("Grown"), paint: palette.grown },
      { text: t("Shrunk"), paint: palette.shrunk },
      { text: t("As much grown as shrunk"), paint: palette.unchanged },
      ...python,
    ];
  const here = new Set(libraries);
  const named = places.named.filter((name) => here.has(name));
  const below: Entry[] = kinds.has("below-threshold")
    ? [
        {
          text: t("Below threshold"),
          paint: palette.belowThreshold,
          hint: t("Small callers whose names were not kept."),
        },
      ]
    : [];
  return [
    ...python,
    ...named.map((name, i) => ({ text: name, paint: palette.libraries[places.of(name) ?? i] ?? palette.other })),
    { text: named.length < here.size ? t("Other or unknown library") : t("Unknown library"), paint: palette.other },
    ...below,
  ];
}

function swatch({ paint, bar }: Entry): HTMLCanvasElement {
  const canvas = element("canvas", "", { "aria-hidden": "true" });
  const ratio = window.devicePixelRatio;
  canvas.width = Math.round(WIDTH * ratio);
  canvas.height = Math.round(HEIGHT * ratio);
  const context = canvas.getContext("2d");
  if (!context) return canvas;
  context.scale(ratio, ratio);
  context.fillStyle = fillStyle(context, paint, ratio);
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = bar?.edge ?? paint.edge;
  if (bar) context.fillRect(0, 0, 3, HEIGHT);
  context.strokeStyle = paint.edge;
  context.strokeRect(0.5, 0.5, WIDTH - 1, HEIGHT - 1);
  return canvas;
}

export function fillLegend(holder: HTMLElement, graph: Graph, palette: Palette, places: LibraryPlaces): void {
  holder.replaceChildren(
    ...entries(graph, palette, places).map((entry) => {
      const item = element("span", "", { class: "key", ...(entry.hint ? { title: entry.hint } : {}) });
      item.append(swatch(entry), element("span", entry.text));
      return item;
    }),
  );
}
