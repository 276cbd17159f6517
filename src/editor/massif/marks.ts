/** Lines the user marked, and how they stay with their text while it is edited. Nothing of VS Code is needed for it. */

export interface Mark {
  /** 1-based. */
  readonly line: number;
  /** The line's text when it was last seen. */
  readonly text: string;
}

/** An edit as VS Code tells of it: 0-based lines and characters. */
export interface Edit {
  readonly range: {
    readonly start: { readonly line: number; readonly character: number };
    readonly end: { readonly line: number; readonly character: number };
  };
  readonly text: string;
}

/** There is something to measure on a line that is not empty and not a comment. */
export function isMeasurableLine(text: string): boolean {
  return !/^\s*(#|$)/.test(text);
}

/** Adds the mark, or takes it away where it is. */
export function toggled(marks: readonly Mark[], mark: Mark): Mark[] {
  const others = marks.filter(({ line }) => line !== mark.line);
  return others.length < marks.length ? others : [...others, mark].sort((a, b) => a.line - b.line);
}

/** @param lineText of the document after the edits */
export function afterEdits(
  marks: readonly Mark[],
  edits: readonly Edit[],
  lineText: (line: number) => string | undefined,
): Mark[] {
  // From the end of the document, so that no edit moves the place of the next.
  const ordered = [...edits].sort((a, b) => b.range.start.line - a.range.start.line);
  const places = marks.map(({ line }) => ordered.reduce<number | undefined>(moved, line - 1));
  const found = new Map<number, Mark>();
  for (const place of places) {
    const text = place === undefined ? undefined : lineText(place + 1);
    if (place !== undefined && text !== undefined) found.set(place, { line: place + 1, text });
  }
  return [...found.values()].sort((a, b) => a.line - b.line);
}

/** Where a line (0-based) is after an edit; undefined where it was deleted. */
function moved(line: number | undefined, { range: { start, end }, text }: Edit): number | undefined {
  if (line === undefined || line < start.line) return line;
  const added = text.split(/\r\n|\r|\n/).length - 1;
  const shift = added - (end.line - start.line);
  if (line > end.line) return line + shift;
  // What was put in front of the line, such as an empty line above it, pushes it down.
  if (line === start.line && line === end.line)
    return start.character === 0 && end.character === 0 ? line + added : line;
  if (line === end.line) return line + shift;
  return line === start.line && start.character > 0 ? line : undefined;
}

/**
 * The marks of a file as it is on disk now, which another program may have changed.
 * @returns a mark whose text is nowhere, or in several places, counts as lost
 */
export function inText(
  marks: readonly Mark[],
  lines: readonly string[],
): { readonly kept: readonly Mark[]; readonly lost: readonly Mark[] } {
  const kept: Mark[] = [];
  const lost: Mark[] = [];
  for (const mark of marks) {
    const text = mark.text.trim();
    if (lines[mark.line - 1]?.trim() === text) {
      kept.push(mark);
      continue;
    }
    const places = lines.flatMap((line, index) => (line.trim() === text ? [index + 1] : []));
    const [line] = places;
    if (line !== undefined && places.length === 1) kept.push({ line, text: mark.text });
    else lost.push(mark);
  }
  return { kept, lost };
}
