/** Source text as it comes from a board: any line ends, any characters. */

/** A file's lines, without a byte order mark; a last line end begins no further line. */
export function sourceLines(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Text that cannot move the cursor, change colors or hide itself: control and direction characters become `?`. */
export function printable(text: string): string {
  return text.replaceAll("\t", "    ").replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, "?");
}

/** The same for text of several lines. */
export function printableLines(text: string): string {
  return text.split(/\r?\n/).map(printable).join("\n");
}
