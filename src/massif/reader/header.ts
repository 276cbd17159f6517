/** The lines before the first snapshot: `desc:`, `cmd:`, `time_unit:`. */
import type { MassifFile } from "../model.ts";

export type MassifHeader = Pick<MassifFile, "description" | "command" | "timeUnit">;

export interface HeaderReader {
  /** @returns the header when this line was its last */
  line(text: string): MassifHeader | undefined;
}

/** Arguments longer than this are cut; Linux takes 2 MiB in all, and nobody reads them to their end. */
const MAX_TEXT = 64 * 1024;

export function isHeaderStart(text: string): boolean {
  return text.startsWith("desc:") || text.startsWith("cmd:");
}

/** Nothing is escaped in the options and the arguments, so they go on until a line is a time unit. */
export function createHeaderReader(): HeaderReader {
  let description = "";
  let command: string | undefined;
  return {
    line(text) {
      const unit = /^time_unit:\s*(i|ms|B)\s*$/.exec(text)?.[1];
      if (unit === "i" || unit === "ms" || unit === "B") {
        return { description: description.trim(), command: (command ?? "").trim(), timeUnit: unit };
      }
      if (command !== undefined) command = joined(command, text);
      else if (text.startsWith("cmd:")) command = text.slice("cmd:".length).slice(0, MAX_TEXT);
      else description = joined(description, text.startsWith("desc:") ? text.slice("desc:".length) : text);
      return undefined;
    },
  };
}

function joined(before: string, line: string): string {
  if (before.length >= MAX_TEXT) return before;
  return `${before}\n${line}`.slice(0, MAX_TEXT);
}
