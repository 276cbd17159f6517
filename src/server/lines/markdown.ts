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

/** A link to a command of ours, which VS Code hands `argument`. @param text Markdown */
export function commandLink(text: string, command: string, argument?: object | string, title?: string): string {
  // Parentheses would end the link.
  const given =
    argument === undefined
      ? ""
      : `?${encodeURIComponent(JSON.stringify([argument])).replace(/[()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)}`;
  return `[${text}](command:jetsonMemprof.${command}${given}${title === undefined ? "" : ` "${title}"`})`;
}
