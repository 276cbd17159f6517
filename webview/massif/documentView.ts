/** The page's upper part: what is shown, what the user should know of it, and the choice of a snapshot. */

import { formatBytes } from "../../src/profile/text/format.ts";
import { samplingTitle } from "../../src/profile/text/samplingNote.ts";
import { printable } from "../../src/profile/text/text.ts";
import type { Choice, DocumentFile, MassifDocument } from "../../src/protocol/massif/massif.ts";
import { t } from "../../src/words/t.ts";
import { byId, element } from "../dom.ts";
import { withWholeFigures } from "../prose.ts";
import {
  describeChoice,
  describeSnapshot,
  fileOf,
  hasStacks,
  nameOf,
  nextWithStacks,
  pairChoice,
  peakChoice,
  peakOf,
  timeText,
  treesOf,
} from "./choice.ts";
import { createSnapshotChart } from "./snapshotChart.ts";

export interface DocumentView {
  /** Shows a document, or the same one as its file is now. */
  show(document: MassifDocument): void;
  /** Marks what is chosen; undefined where the file at `file` has no call stacks at all. */
  mark(choice: Choice | undefined, file: number): void;
}

function notesOf({ notes, files }: MassifDocument): string[] {
  const several = files.length > 1;
  return [
    ...notes,
    ...files.flatMap(({ name, problems }) =>
      problems.map(({ line, message }) =>
        several
          ? t("{0}, line {1} of the file: {2}", name, line, message)
          : t("Line {0} of the file: {1}", line, message),
      ),
    ),
  ];
}

/** The name of a process, and how much it holds at its peak: it tells which one is worth a look. */
function processText(file: DocumentFile): string {
  const peak = file.snapshots[peakOf(file) ?? -1];
  return peak === undefined ? file.name : t("{0}: {1} at peak", file.name, formatBytes(peak.heap));
}

/** Before the number of a pair, as the list's value. */
const PAIR = "pair ";

/** Place of the pair whose later file it is. */
function pairOf(document: MassifDocument | undefined, file: number): number | undefined {
  const place = document?.pairs?.findIndex(({ after }) => after.file === file) ?? -1;
  return place < 0 ? undefined : place;
}

function option(value: string, text: string): HTMLOptionElement {
  return element("option", text, { value });
}

export function createDocumentView(onChoose: (choice: Choice | undefined, file: number) => void): DocumentView {
  const plot = byId("plot", HTMLElement);
  const readout = byId("readout", HTMLElement);
  const files = byId("file", HTMLSelectElement);
  const compare = byId("compare", HTMLSelectElement);
  let shown: MassifDocument | undefined;
  let choice: Choice | undefined;
  let file = 0;

  const chart = createSnapshotChart(byId("chart", SVGSVGElement), {
    onHover: (place) => describe(place),
    onPick: (place, withOther) => pick(place, withOther),
  });

  const shownFile = (): DocumentFile | undefined => shown?.files[file];
  const snapshotOf = (of: Choice | undefined): number | undefined =>
    of?.kind === "snapshot" ? of.snapshot : undefined;

  /** A snapshot under the pointer, else what is chosen. */
  function describe(place?: number): void {
    const inFile = shownFile();
    const chosen = choice && shown ? describeChoice(choice, shown) : "";
    const said = printable(place !== undefined && inFile ? describeSnapshot(inFile, place) : chosen);
    readout.replaceChildren(...withWholeFigures(said));
  }

  function pick(place: number, withOther: boolean): void {
    const current = snapshotOf(choice);
    if (withOther && current !== undefined && current !== place)
      onChoose({ kind: "snapshot", file, snapshot: current, compare: place }, file);
    else onChoose({ kind: "snapshot", file, snapshot: place }, file);
  }

  function drawChart(): void {
    const inFile = shownFile();
    if (!inFile) return;
    chart.draw(inFile, plot.clientWidth, plot.clientHeight);
    markChart();
  }

  function markChart(): void {
    const refs = choice ? treesOf(choice) : [];
    chart.mark(refs.flatMap((ref) => (ref.kind === "snapshot" && ref.file === file ? [ref.snapshot] : [])));
  }

  function fillCompare(): void {
    const inFile = shownFile();
    const base = snapshotOf(choice);
    const others = (inFile?.snapshots ?? []).flatMap((snapshot, i) =>
      hasStacks(snapshot) && i !== base && inFile
        ? [
            option(
              String(i),
              t(
                "{0}: {1} at {2}",
                nameOf(inFile, i),
                formatBytes(snapshot.heap),
                timeText(snapshot.time, inFile.timeUnit),
              ),
            ),
          ]
        : [],
    );
    compare.replaceChildren(option("", t("no other snapshot")), ...others);
    compare.value = String((choice?.kind === "snapshot" ? choice.compare : undefined) ?? "");
    compare.disabled = base === undefined || others.length === 0;
  }

  files.addEventListener("change", () => {
    if (!shown) return;
    const pair = files.value.startsWith(PAIR) ? pairChoice(shown, Number(files.value.slice(PAIR.length))) : undefined;
    const next = pair ? fileOf(pair, shown) : Number(files.value);
    onChoose(pair ?? peakChoice(shown, next), next);
  });
  compare.addEventListener("change", () => {
    const base = snapshotOf(choice);
    if (base === undefined) return;
    const other = compare.value === "" ? {} : { compare: Number(compare.value) };
    onChoose({ kind: "snapshot", file, snapshot: base, ...other }, file);
  });
  plot.addEventListener("keydown", (event) => {
    const inFile = shownFile();
    if (!inFile || event.ctrlKey || event.metaKey || event.altKey) return;
    const { snapshots } = inFile;
    const compared = choice?.kind === "snapshot" ? choice.compare : undefined;
    const from = (event.shiftKey ? (compared ?? snapshotOf(choice)) : snapshotOf(choice)) ?? peakOf(inFile) ?? 0;
    const moves: Readonly<Record<string, () => number | undefined>> = {
      ArrowLeft: () => nextWithStacks(snapshots, from, -1),
      ArrowDown: () => nextWithStacks(snapshots, from, -1),
      ArrowRight: () => nextWithStacks(snapshots, from, 1),
      ArrowUp: () => nextWithStacks(snapshots, from, 1),
      Home: () => nextWithStacks(snapshots, -1, 1),
      End: () => nextWithStacks(snapshots, snapshots.length, -1),
      p: () => peakOf(inFile),
    };
    const place = moves[event.key.length === 1 ? event.key.toLowerCase() : event.key]?.();
    if (place === undefined) return;
    event.preventDefault();
    if (hasStacks(snapshots[place])) pick(place, event.shiftKey);
  });
  new ResizeObserver(drawChart).observe(plot);

  function showNotes(document: MassifDocument): void {
    const notes = notesOf(document);
    byId("notes", HTMLDetailsElement).hidden = notes.length === 0;
    byId("notes-title", HTMLElement).textContent =
      notes.length === 1
        ? t("One thing to know about these figures")
        : t("{0} things to know about these figures", notes.length);
    byId("notes-list", HTMLElement).replaceChildren(...notes.map((note) => element("li", note)));
  }

  function showFile(): void {
    const inFile = shownFile();
    const how = inFile?.sampled === undefined ? [] : [samplingTitle(inFile.sampled)];
    const where = shown?.board === undefined ? [] : [t("on {0}", shown.board)];
    const about = byId("about", HTMLElement);
    about.textContent = printable([...how, ...where, ...(inFile?.command ? [inFile.command] : [])].join(" · "));
    about.title = about.textContent;
    byId("heap-name", HTMLElement).textContent = inFile?.gpu
      ? t("GPU memory")
      : inFile?.pagesAsHeap
        ? t("Mapped pages")
        : t("Heap");
    // What an allocator needs beside what was asked for is not known of sampled blocks.
    byId("extra-key", HTMLElement).hidden = inFile?.sampled !== undefined || inFile?.gpu === true;
    byId("stacks-key", HTMLElement).hidden = !inFile?.snapshots.some(({ stacks }) => stacks > 0);
    plot.setAttribute("aria-valuemax", String(Math.max(1, inFile?.snapshots.length ?? 1)));
    const pair = choice?.kind === "runs" ? pairOf(shown, file) : undefined;
    files.value = pair === undefined ? String(file) : `${PAIR}${pair}`;
  }

  return {
    show(document) {
      shown = document;
      byId("title", HTMLElement).textContent = printable(document.title);
      files.replaceChildren(
        ...(document.pairs ?? []).map(({ name }, i) => option(`${PAIR}${i}`, t("{0}: change between the runs", name))),
        ...document.files.map((each, i) => option(String(i), processText(each))),
      );
      byId("file-choice", HTMLElement).hidden = document.files.length < 2;
      showNotes(document);
    },
    mark(next, place) {
      choice = next;
      file = next && shown ? fileOf(next, shown) : place;
      showFile();
      fillCompare();
      drawChart();
      describe();
      plot.setAttribute("aria-valuenow", String((snapshotOf(choice) ?? 0) + 1));
      plot.setAttribute("aria-valuetext", readout.textContent ?? "");
    },
  };
}
