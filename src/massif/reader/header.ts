/** The lines before the first snapshot: `desc:`, `cmd:`, `time_unit:`. */
import type { MassifFile } from "../model.ts";

export type MassifHeader = Pick<MassifFile, "description" | "command" | "timeUnit">;

export interface HeaderReader {
  /** @returns the header when this line is the first after it */
  line(text: string): MassifHeader | undefined;
  /** @returns the header when the lines so far are all of it */
  end(): MassifHeader | undefined;
}

/** Arguments longer than this are cut; Linux takes 2 MiB in all, and nobody reads them to their end. */
const MAX_TEXT = 64 * 1024;

export function isHeaderStart(text: string): boolean {
  return text.startsWith("desc:") || text.startsWith("cmd:");
}

/**
 * Nothing is escaped in the options and the arguments, so they go on until a time unit is followed by the beginning of
 * a snapshot.
 */
export function createHeaderReader(): HeaderReader {
  let description = "";
  let command: string | undefined;
  let unit: { readonly name: MassifHeader["timeUnit"]; readonly line: string } | undefined;

  function add(text: string): void {
    if (command !== undefined) command = joined(command, text);
    else if (text.startsWith("cmd:")) command = joined("", text.slice("cmd:".length));
    else description = joined(description, text.startsWith("desc:") ? text.slice("desc:".length) : text);
  }

  return {
    line(text) {
      if (unit !== undefined && /^(#|snapshot=)/.test(text)) return this.end();
      if (unit !== undefined && text.trim() === "") return undefined;
      if (unit !== undefined) add(unit.line);
      const name = /^time_unit:\s*(i|ms|B)\s*$/.exec(text)?.[1];
      if (name === "i" || name === "ms" || name === "B") unit = { name, line: text };
      else {
        unit = undefined;
        add(text);
      }
      return undefined;
    },
    end() {
      if (unit === undefined) return undefined;
      return { description: description.trim(), command: (command ?? "").trim(), timeUnit: unit.name };
    },
  };
}

function joined(before: string, line: string): string {
  if (before.length >= MAX_TEXT) return before;
  return `${before}\n${line}`.slice(0, MAX_TEXT);
}
