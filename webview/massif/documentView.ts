/** The page's upper part: what is shown, what the user should know of it, and the choice of a snapshot. */
import { formatBytes } from "../../src/profile/format.ts";
import type { Choice, DocumentFile, MassifDocument } from "../../src/protocol/massif.ts";
import { byId, element } from "../dom.ts";
import {
  describeChoice,
  describeSnapshot,
  fileOf,
  hasStacks,
  nameOf,
  nextWithStacks,
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
      problems.map(({ line, message }) => `${several ? `${name}, line` : "Line"} ${line} of the file: ${message}`),
    ),
  ];
}

/** The name of a process, and how much it holds at its peak: it tells which one is worth a look. */
function processText(file: DocumentFile): string {
  const peak = file.snapshots[peakOf(file) ?? -1];
  return peak === undefined ? file.name : `${file.name}: ${formatBytes(peak.heap)} at peak`;
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
    readout.textContent = place !== undefined && inFile ? describeSnapshot(inFile, place) : chosen;
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
    const refs = choice?.kind === "snapshot" ? treesOf(choice) : [];
    chart.mark(refs.flatMap((ref) => (ref.kind === "snapshot" ? [ref.snapshot] : [])));
  }

  function fillCompare(): void {
    const inFile = shownFile();
    const base = snapshotOf(choice);
    const others = (inFile?.snapshots ?? []).flatMap((snapshot, i) =>
      hasStacks(snapshot) && i !== base && inFile
        ? [
            option(
              String(i),
              `${nameOf(inFile, i)}: ${formatBytes(snapshot.heap)} at ${timeText(snapshot.time, inFile.timeUnit)}`,
            ),
          ]
        : [],
    );
    compare.replaceChildren(option("", "no other snapshot"), ...others);
    compare.value = String((choice?.kind === "snapshot" ? choice.compare : undefined) ?? "");
    compare.disabled = base === undefined || others.length === 0;
  }

  files.addEventListener("change", () => {
    const next = Number(files.value);
    if (shown) onChoose(peakChoice(shown, next), next);
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
      notes.length === 1 ? "One thing to know of these figures" : `${notes.length} things to know of these figures`;
    byId("notes-list", HTMLElement).replaceChildren(...notes.map((note) => element("li", note)));
  }

  function showFile(): void {
    const inFile = shownFile();
    const where = shown?.board === undefined ? [] : [`on ${shown.board}`];
    byId("about", HTMLElement).textContent = [...where, ...(inFile?.command ? [inFile.command] : [])].join(" · ");
    byId("heap-name", HTMLElement).textContent = inFile?.pagesAsHeap ? "Mapped pages" : "Heap";
    byId("stacks-key", HTMLElement).hidden = !inFile?.snapshots.some(({ stacks }) => stacks > 0);
    plot.setAttribute("aria-valuemax", String(Math.max(1, inFile?.snapshots.length ?? 1)));
    files.value = String(file);
  }

  return {
    show(document) {
      shown = document;
      byId("title", HTMLElement).textContent = document.title;
      files.replaceChildren(...document.files.map((each, i) => option(String(i), processText(each))));
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
