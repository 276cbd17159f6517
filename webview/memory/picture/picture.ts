/** The ledger as a picture over the whole width: a bar of the groups, or an icicle down to the processes. */

import { type Selection, select } from "d3-selection";
import { surenessWord } from "../../../src/board/ledger/ledgerText.ts";
import type { Ledger } from "../../../src/board/ledger/model.ts";
import { printable } from "../../../src/profile/text/text.ts";
import { t } from "../../../src/words/t.ts";
import { shortened, textWidth } from "../../chartText.ts";
import { stripesOf } from "../ledger/groups.ts";
import { shareText, sizeText } from "../words.ts";
import { type Box, boxByKey, boxesOf, type Shape } from "./boxes.ts";

const BAR_HEIGHT = 48;
const LEVEL_HEIGHT = 30;
const PADDING = 6;
/** Less would be a letter or two, which say nothing. */
const LEAST_ROOM = 28;
const MIN_WIDTH = 240;
/** Nothing is seen of a process below that; the table has it. */
const LEAST_WIDTH = 0.5;

export interface Picture {
  draw(ledger: Ledger, shape: Shape): void;
}

export interface PictureEvents {
  /** The box under the pointer or reached by the keyboard; undefined when there is none. */
  readonly onShow: (box: Box | undefined) => void;
  readonly onPick: (box: Box) => void;
}

/** A box in words. */
export const boxText = (box: Box, ledger: Ledger): string =>
  [
    box.label,
    sizeText(box.bytes),
    t("{0} of the RAM", shareText(box.bytes, ledger.total)),
    ...(box.level === 1 && box.row ? [surenessWord(box.row.sureness)] : []),
  ].join(" · ");

type Group = Selection<SVGGElement, unknown, null, undefined>;

/** In CSS pixels. */
interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function write(group: Group, lines: readonly string[], { x, y, width, height }: Place): void {
  const room = width - 2 * PADDING;
  const [label = "", ...others] = lines;
  if (room < LEAST_ROOM) return;
  // Without its own drawing area a long name would run over its neighbors.
  const clip = group.append("svg").attr("x", x).attr("y", y).attr("width", width).attr("height", height);
  const fits = [shortened(label, room), ...others.filter((text) => textWidth(text) <= room)];
  const lineHeight = 17;
  const first = height / 2 - ((fits.length - 1) * lineHeight) / 2;
  fits.forEach((text, i) => {
    clip
      .append("text")
      .attr("class", "label")
      .attr("x", PADDING)
      .attr("y", first + i * lineHeight)
      .attr("dy", "0.35em")
      .text(printable(text));
  });
}

export function createPicture(host: HTMLElement, svgElement: SVGSVGElement, events: PictureEvents): Picture {
  const svg = select(svgElement);
  let boxes: readonly Box[] = [];
  let current: string | undefined;
  let ring: Selection<SVGRectElement, unknown, null, undefined> | undefined;
  let place = (box: Box): Place => ({ x: box.from, y: 0, width: 0, height: 0 });

  /** Only the ring moves: drawing anew under the pointer would take the click from what is clicked. */
  function encircle(box: Box | undefined): void {
    ring?.attr("visibility", box ? "visible" : "hidden");
    if (!box || !ring) return;
    const { x, y, width, height } = place(box);
    ring.attr("x", x).attr("y", y).attr("width", width).attr("height", height);
  }
  function show(box: Box | undefined): void {
    if (box?.id === current) return;
    current = box?.id;
    encircle(box);
    events.onShow(box);
  }
  const boxOf = (event: Event): Box | undefined => {
    const id = event.target instanceof Element ? event.target.closest("[data-box]")?.getAttribute("data-box") : null;
    return boxes.find((box) => box.id === id);
  };
  host.addEventListener("pointermove", (event) => show(boxOf(event)));
  host.addEventListener("pointerleave", () => show(undefined));
  host.addEventListener("click", (event) => {
    const box = boxOf(event);
    if (box) events.onPick(box);
  });
  host.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const shown = boxes.find(({ id }) => id === current);
    if (event.key === "Enter" && shown) {
      // It would press whatever has the focus next.
      event.preventDefault();
      events.onPick(shown);
    }
    const next = boxByKey(event.key, boxes, current);
    if (!next) return;
    event.preventDefault();
    show(next);
  });

  return {
    draw(ledger, shape) {
      boxes = boxesOf(ledger, shape);
      const width = Math.max(MIN_WIDTH, host.clientWidth);
      const height = shape === "bar" ? BAR_HEIGHT : LEVEL_HEIGHT;
      place = (box) => ({
        x: box.from * width,
        y: box.level * height,
        width: Math.max(LEAST_WIDTH, (box.to - box.from) * width),
        height,
      });
      const whole = height * (1 + Math.max(0, ...boxes.map(({ level }) => level)));
      svg.attr("width", width).attr("height", whole).attr("viewBox", `0 0 ${width} ${whole}`);
      svg.selectChildren().remove();
      const wide = boxes.filter((box) => box.level < 2 || place(box).width > LEAST_WIDTH);
      for (const box of wide) drawBox(svg.append("g"), box, place(box));
      ring = svg.append("rect").attr("class", "ring");
      const shown = boxes.find(({ id }) => id === current);
      current = shown?.id;
      encircle(shown);
      events.onShow(shown);
    },
  };
}

function drawBox(group: Group, box: Box, place: Place): void {
  const { x, y, width, height } = place;
  group.attr("data-box", box.id);
  const rect = (css: string) => {
    const made = group.append("rect").attr("class", css).attr("x", x).attr("y", y);
    return made.attr("width", width).attr("height", height);
  };
  rect(`area ${box.group}`);
  const stripes = stripesOf(box.group);
  if (stripes !== undefined) rect("striped").attr("fill", stripes);
  rect("edge");
  write(group, height > LEVEL_HEIGHT ? [box.label, sizeText(box.bytes)] : [box.label], place);
}
