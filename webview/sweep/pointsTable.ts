/** Every point with every figure; each of its runs can be opened. */
import { formatBytes, formatDuration, orUnknown } from "../../src/profile/text/format.ts";
import { printable } from "../../src/profile/text/text.ts";
import type { Sweep, SweepPoint } from "../../src/sweep/model.ts";
import { valuesText } from "../../src/sweep/values.ts";
import {
  FIGURE_NAMES,
  isRepeated,
  measuredFigures,
  peakText,
  STATE_WORDS,
  spreadText,
  stateDetail,
} from "../../src/sweep/words.ts";
import { say, t } from "../../src/words/t.ts";
import { button, element } from "../dom.ts";
import { type PlainColumn, plainTable } from "../model/plainTable.ts";
import { markSign } from "./marks.ts";

export function pointsTable(sweep: Sweep, openRun: (folder: string) => void): HTMLElement {
  const repeated = isRepeated(sweep);
  const columns: PlainColumn<SweepPoint>[] = [
    ...sweep.parameters.map(({ name }) => ({
      title: printable(name),
      cell: ({ values }: SweepPoint) => printable(values[name] ?? ""),
    })),
    { title: t("Outcome"), cell: outcome },
    { title: repeated ? t("Runs, of {0}", sweep.repeat) : t("Run"), cell: (point) => runs(point, openRun) },
    ...measuredFigures(sweep).flatMap((figure): PlainColumn<SweepPoint>[] => [
      { title: say(FIGURE_NAMES[figure]), cell: (point) => peakText(point, figure), figure: true },
      ...(repeated
        ? [{ title: t("Spread"), cell: ({ peaks }: SweepPoint) => spreadText(peaks[figure]), figure: true } as const]
        : []),
    ]),
    ...(sweep.board === undefined
      ? []
      : [
          {
            title: t("Available before"),
            cell: ({ available }: SweepPoint) => orUnknown(available, formatBytes),
            figure: true,
          } as const,
        ]),
    {
      title: t("Time"),
      cell: ({ elapsedMs }) => orUnknown(elapsedMs?.median, formatDuration),
      figure: true,
    },
  ];
  return plainTable(t("Each point with its figures"), columns, sweep.points);
}

function outcome(point: SweepPoint): HTMLElement {
  const cell = element("span", "", { class: "outcome" });
  const detail = stateDetail(point);
  cell.append(markSign(point.state), element("strong", say(STATE_WORDS[point.state])));
  if (detail !== "") cell.append(element("span", printable(detail), { class: "detail" }));
  return cell;
}

function runs({ folders, values }: SweepPoint, openRun: (folder: string) => void): HTMLElement {
  const cell = element("span", "", { class: "buttons" });
  cell.append(
    ...folders.map((folder, i) =>
      button(folders.length === 1 ? t("Open") : String(i + 1), () => openRun(folder), {
        class: "link",
        "aria-label": t("Open run {0} with {1}", i + 1, printable(valuesText(values))),
      }),
    ),
  );
  return cell;
}
