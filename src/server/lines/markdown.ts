/** Text of a board or a file inside Markdown: it must show as it is and be nothing else. */
import { printable } from "../../profile/text/text.ts";

export function escapeMarkdown(text: string): string {
  return printable(text).replace(/[!-/:-@[-`{-~]/g, "\\$&");
}

export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = header.map((_, column) => (column === 0 ? ":--" : "--:"));
  return [line(header), line(rule), ...rows.map(line)].join("\n");
}
