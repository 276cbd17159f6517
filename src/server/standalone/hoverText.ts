/**
 * The hover for clients that are not VS Code. Few of them lay out Markdown's tables, and links to commands lead nowhere
 * there: tables become aligned text, and nothing is left of what only VS Code understands. Pure.
 */
import { type MarkupContent, MarkupKind } from "vscode-languageserver/node";
import { displayWidth, padEnd, padStart } from "../../profile/text/table.ts";

/** @param formats what the client shows, best first; none where it does not say */
export function hoverContent(markdown: string, formats: readonly string[] | undefined): MarkupContent {
  const kind = formats?.find((format) => format === MarkupKind.Markdown || format === MarkupKind.PlainText);
  if (kind === MarkupKind.Markdown) return { kind, value: blocks(markdown).map(asMarkdown).join("\n\n") };
  return { kind: MarkupKind.PlainText, value: blocks(markdown).map(asText).join("\n\n") };
}

/** A paragraph that leads to one of VS Code's commands. */
const COMMAND_LINK = /^\[[^\]\n]*\]\(command:[^)\n]*\)$/;

type Block =
  | { readonly kind: "text"; readonly markdown: string }
  | { readonly kind: "table"; readonly lines: readonly string[] };

function blocks(markdown: string): Block[] {
  const parts = markdown.split("\n\n").filter((part) => !COMMAND_LINK.test(part));
  return parts.map((part): Block => {
    const rows = part.split("\n");
    if (!rows.every((row) => row.startsWith("| "))) return { kind: "text", markdown: part };
    // The second row is the rule below the headings.
    return { kind: "table", lines: inColumns(rows.filter((_, index) => index !== 1).map(cellsOf)) };
  });
}

function cellsOf(row: string): string[] {
  return row
    .slice(2, -2)
    .split(" | ")
    .map((cell) => plain(cell).trim());
}

/** The first column holds names, the others figures. */
function inColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
  }
  const pad = (cell: string, column: number) => (column === 0 ? padEnd : padStart)(cell, widths[column] ?? 0);
  return rows.map((row) => row.map(pad).join("  ").trimEnd());
}

function asMarkdown(block: Block): string {
  if (block.kind === "text") return block.markdown;
  // Longer than what a name in the table is made of, which would end the block.
  const longest = Math.max(2, ...(block.lines.join("\n").match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return [`${fence}text`, ...block.lines, fence].join("\n");
}

function asText(block: Block): string {
  return block.kind === "table" ? block.lines.join("\n") : plain(block.markdown);
}

/** As it reads: without signs of emphasis, escapes and entities. What is escaped is text. */
function plain(markdown: string): string {
  return markdown
    .replaceAll("&emsp;", "")
    .replace(/\\([!-/:-@[-`{-~])|\*\*|`/g, (_, escaped: string | undefined) => escaped ?? "")
    .replaceAll("\u00a0", " ");
}
