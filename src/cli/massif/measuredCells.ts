/** What lines changed from before to after, as cells of a table. */
import type { MeasuredLine } from "../../massif/model.ts";
import { formatChange, formatCount, withBand } from "../../profile/text/format.ts";
import { t } from "../../words/t.ts";

export const measuredHeadings = (): string[] => [t("Net"), t("Hits"), t("Measured")];

export const measuredCells = ({ net, noise, hits, measured }: MeasuredLine): string[] => [
  withBand(formatChange(net), noise),
  formatCount(hits),
  formatCount(measured),
];

export const byChange = (lines: readonly MeasuredLine[]): MeasuredLine[] =>
  [...lines].sort((a, b) => Math.abs(b.net) - Math.abs(a.net));
