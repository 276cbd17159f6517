/** The tabs beside the graph: the same frames as a tree, and the figures as tables. */
import { ownText } from "../../src/massif/lines.ts";
import { fullName } from "../../src/massif/tree/frameNames.ts";
import { formatBytes, formatChange, formatCount, withBand } from "../../src/profile/text/format.ts";
import { printable } from "../../src/profile/text/text.ts";
import type { Choice, DocumentLine, MassifDocument, MassifPageState, Place } from "../../src/protocol/massif/massif.ts";
import { t } from "../../src/words/t.ts";
import { byId, element } from "../dom.ts";
import { share } from "../flame/figures.ts";
import { label } from "../flame/frameLook.ts";
import type { AllocatorRow, LibraryRow, PythonRow, Tables } from "./analysis/jobs.ts";
import { placeText } from "./choice.ts";
import { type Column, fillTable } from "./figuresTable.ts";

export type Tab = MassifPageState["tab"];

export interface SidePaneEvents {
  readonly onTab: (tab: Tab) => void;
  readonly onHide: (isHidden: boolean) => void;
  readonly onLibrary: (row: LibraryRow) => void;
  readonly onAllocator: (row: AllocatorRow) => void;
  readonly onPython: (place: Place) => void;
  readonly onChoose: (choice: Choice) => void;
  /** A measured execution of which there are no call stacks. */
  readonly onNoStacks: (line: DocumentLine) => void;
}

export interface SidePane {
  readonly tree: HTMLElement;
  readonly tab: Tab;
  open(tab: Tab): void;
  /** Leaves its room to the graph, or stands beside it again. */
  hide(isHidden: boolean): void;
  /** Figures of another graph than the one that is shown must not stay. */
  clearTables(): void;
  showTables(tables: Tables, of: { readonly change: boolean; readonly whole: number }): void;
  showMeasured(document: MassifDocument): void;
}

const TABS: readonly Tab[] = ["tree", "libraries", "allocators", "python", "measured"];

interface MeasuredRow {
  readonly line: DocumentLine;
  readonly place: number;
  /** Absent in the row for all executions together. */
  readonly execution?: number;
}

function measuredRows({ lines }: MassifDocument): MeasuredRow[] {
  return lines.flatMap((line, place) => [
    { line, place },
    ...line.executions.map((_, execution) => ({ line, place, execution })),
  ]);
}

const executionOf = ({ line, execution }: MeasuredRow) => line.executions[execution ?? -1];

function changeOf(row: MeasuredRow): number {
  const execution = executionOf(row);
  return execution ? execution.after - execution.before : row.line.net;
}

const changeText = (row: MeasuredRow): string =>
  withBand(formatChange(changeOf(row)), (executionOf(row) ?? row.line).noise);

function executionText(row: MeasuredRow): string {
  const execution = executionOf(row);
  const { hits, measured } = row.line;
  if (execution) return `${formatCount(execution.hit)}${execution.stacks ? "" : t(" (sizes only)")}`;
  return hits === measured
    ? t("all {0}", formatCount(hits))
    : t("{0} measured of {1}", formatCount(measured), formatCount(hits));
}

const measuredColumns = (): readonly [Column<MeasuredRow>, ...Column<MeasuredRow>[]] => [
  { title: t("Line"), text: ({ line }) => printable(placeText(line)), hint: ({ line }) => printable(line.function) },
  { title: t("Execution"), text: executionText },
  { title: t("Change"), text: changeText, figure: changeOf },
  {
    title: t("Before"),
    text: (row) => formatBytesOf(executionOf(row)?.before),
    figure: (row) => executionOf(row)?.before ?? 0,
  },
  {
    title: t("After"),
    text: (row) => formatBytesOf(executionOf(row)?.after),
    figure: (row) => executionOf(row)?.after ?? 0,
  },
];

/** Of a file outside the project, which may lie deep in a library's folders, the last two names. */
const shortPath = (path: string): string => path.replace(/^\/.*(?=(\/[^/]+){2}$)/, "…");

const formatBytesOf = (bytes: number | undefined): string => (bytes === undefined ? "" : formatBytes(bytes));

export function createSidePane(events: SidePaneEvents): SidePane {
  let shown: Tab = "tree";
  const pane = byId("side", HTMLElement);
  const toggle = byId("hide-side", HTMLButtonElement);
  const tabs = TABS.map((name) => byId(`tab-${name}`, HTMLButtonElement));
  const panel = (name: Tab): HTMLElement => byId(`panel-${name}`, HTMLElement);

  function open(tab: Tab): void {
    shown = tabs[TABS.indexOf(tab)]?.hidden ? "tree" : tab;
    TABS.forEach((name, i) => {
      tabs[i]?.setAttribute("aria-selected", String(name === shown));
      tabs[i]?.setAttribute("tabindex", name === shown ? "0" : "-1");
      panel(name).hidden = name !== shown;
    });
  }

  let isHidden = false;

  function hide(hidden: boolean): void {
    isHidden = hidden;
    pane.hidden = hidden;
    // The name says what a press does, so a state beside it would say it twice.
    toggle.textContent = isHidden ? t("Show Side Pane") : t("Hide Side Pane");
  }

  toggle.addEventListener("click", () => {
    hide(!isHidden);
    events.onHide(isHidden);
  });
  TABS.forEach((name, i) => {
    tabs[i]?.addEventListener("click", () => {
      open(name);
      events.onTab(name);
    });
    tabs[i]?.addEventListener("keydown", (event) => {
      const visible = tabs.filter((tab) => !tab.hidden);
      const at = visible.indexOf(tabs[i] ?? visible[0] ?? document.createElement("button"));
      const moves: Readonly<Record<string, number>> = {
        ArrowRight: (at + 1) % visible.length,
        ArrowLeft: (at + visible.length - 1) % visible.length,
        Home: 0,
        End: visible.length - 1,
      };
      const next = visible[moves[event.key] ?? -1];
      if (!next) return;
      event.preventDefault();
      next.focus();
      next.click();
    });
  });

  return {
    tree: panel("tree"),
    get tab() {
      return shown;
    },
    open,
    hide,
    clearTables() {
      for (const name of ["libraries", "allocators", "python"] as const)
        panel(name).replaceChildren(element("p", t("Adding up…"), { class: "empty" }));
    },
    showTables({ libraries, allocators, python }, { change, whole }) {
      const size = (bytes: number, band?: number) => withBand((change ? formatChange : formatBytes)(bytes), band);
      const ofWhole: <Row>(figure: (row: Row) => number) => Column<Row>[] = (figure) =>
        change ? [] : [{ title: t("Share"), text: (row) => share(figure(row), whole), figure }];
      fillTable<LibraryRow>(panel("libraries"), {
        caption: t("Whose code asked for the memory, each byte once"),
        columns: [
          { title: t("Library"), text: ({ name }) => name },
          {
            title: change ? t("Change") : t("Memory"),
            text: ({ bytes, band }) => size(bytes, band),
            figure: ({ bytes }) => bytes,
          },
          ...ofWhole<LibraryRow>(({ bytes }) => bytes),
        ],
        rows: libraries,
        empty: change ? t("Nothing changed.") : t("No memory is held by the stacks shown."),
        onPick: events.onLibrary,
      });
      fillTable<AllocatorRow>(panel("allocators"), {
        caption: t("Functions that asked for memory. Self: asked for by itself; total: with what it was asked through"),
        columns: [
          { title: t("Function"), text: ({ frame }) => label(frame), hint: ({ frame }) => fullName(frame) },
          { title: t("Self"), text: ({ self, band }) => size(self, band?.self), figure: ({ self }) => self },
          { title: t("Total"), text: ({ total, band }) => size(total, band?.total), figure: ({ total }) => total },
        ],
        rows: allocators,
        empty: change ? t("Nothing changed.") : t("No memory is held by the stacks shown."),
        onPick: events.onAllocator,
      });
      fillTable<PythonRow>(panel("python"), {
        caption: t("Python lines. Own: no other line of Python was called in between; total: with all it called"),
        columns: [
          {
            title: t("Line"),
            text: ({ place, exact }) => printable(shortPath(exact ? placeText({ place }) : place.path)),
            hint: ({ place, exact }) => printable(exact ? placeText({ place }) : place.path),
          },
          { title: t("Function"), text: ({ function: name }) => printable(name) },
          {
            title: t("Own"),
            text: (row) => (change ? size(row.own, row.band?.own) : ownText(row)),
            figure: ({ own }) => own,
          },
          { title: t("Total"), text: ({ total, band }) => size(total, band?.total), figure: ({ total }) => total },
        ],
        rows: python,
        empty: change
          ? t("No line of Python changed.")
          : t(
              "These stacks name no Python lines. Profile the script with the massif engine of this extension to see them.",
            ),
        onPick: ({ place }) => events.onPython(place),
      });
    },
    showMeasured(document) {
      const tab = tabs[TABS.indexOf("measured")];
      if (tab) tab.hidden = document.lines.length === 0;
      fillTable(panel("measured"), {
        caption: t("Heap before and after chosen lines. Choose an execution to see what it changed"),
        columns: measuredColumns(),
        rows: measuredRows(document),
        empty: t("No line was measured in this run."),
        onPick: ({ line, place, execution }) => {
          const chosen = execution ?? line.executions.findIndex(({ stacks }) => stacks);
          if (line.executions[chosen]?.stacks) events.onChoose({ kind: "line", line: place, execution: chosen });
          else events.onNoStacks(line);
        },
      });
      open(shown);
    },
  };
}
