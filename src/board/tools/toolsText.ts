/** Why the tools disagree, as text: for a terminal and for the clipboard. */
import { formatBytes } from "../../profile/text/format.ts";
import { aligned } from "../../profile/text/table.ts";
import { printable } from "../../profile/text/text.ts";
import type { ToolReading } from "./model.ts";

/** Two lines for each tool: its figure, and what that counts. Without a line end. */
export function toolsText(readings: readonly ToolReading[]): string {
  const heads = aligned(
    readings.map(({ bytes, label, formula }) => [bytes === undefined ? "-" : formatBytes(bytes), label, formula]),
    1,
  );
  const indent = " ".repeat(
    Math.max(0, ...readings.map(({ bytes }) => (bytes === undefined ? 1 : formatBytes(bytes).length))),
  );
  return readings
    .flatMap(({ missing, reason }, index) => [heads[index] ?? "", `${indent}  ${missing ?? reason}`])
    .map(printable)
    .join("\n");
}
