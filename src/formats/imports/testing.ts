/** For tests of importers: a project in memory. */
import { defined } from "../../profile/defined.ts";
import type { ImportedRun } from "../model.ts";
import type { ImportContext } from "./importer.ts";
import { createLogReader, type LogImporter } from "./text/logReader.ts";

export const MIB = 2 ** 20;
export const WRITTEN = new Date("2026-11-22T10:00:00Z");
const BEFORE = new Date("2026-11-22T09:00:00Z");
export const AFTER = new Date("2026-11-22T11:00:00Z");

/** @param sources by path; a file is older than what is imported unless `changed` names it */
export function contextOf(
  file: string,
  sources: Readonly<Record<string, string>> = {},
  options: { readonly source?: string; readonly changed?: readonly string[] } = {},
): ImportContext {
  return {
    file,
    modified: WRITTEN,
    project: {
      root: "/home/me/project",
      source(path) {
        const text = Object.hasOwn(sources, path) ? sources[path] : undefined;
        if (text === undefined) return undefined;
        return { text, modified: options.changed?.includes(path) ? AFTER : BEFORE };
      },
    },
    ...defined({ source: options.source }),
  };
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function readLog(open: LogImporter, content: Uint8Array, context: ImportContext): ImportedRun {
  const log = createLogReader(open, context);
  log.push(content);
  return log.end();
}
