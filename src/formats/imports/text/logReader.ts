/** Logs are read line by line, as they come: one of days is larger than what memory should be taken for. */
import type { ImportedRun } from "../../model.ts";
import type { ImportContext } from "../importer.ts";
import { createTextPieces } from "./decodePieces.ts";
import { linesOf } from "./decodeText.ts";

export interface LogReader {
  /** @param whole the line's end was there: what is cut off may look like a smaller figure */
  line(line: string, whole: boolean): void;
  /**
   * @param foreignLines how many were no UTF-8
   * @throws UserError as Importer
   */
  end(foreignLines: number): ImportedRun;
}

export type LogImporter = (context: ImportContext) => LogReader;

export interface ContentReader {
  push(bytes: Uint8Array): void;
  /** @throws UserError as Importer */
  end(): ImportedRun;
}

export function createLogReader(open: LogImporter, context: ImportContext): ContentReader {
  const pieces = createTextPieces();
  const log = open(context);
  const take = (text: string) => {
    for (const { line, whole } of linesOf(text)) log.line(line, whole);
  };
  return {
    push: (bytes) => take(pieces.push(bytes)),
    end() {
      take(pieces.end());
      return log.end(pieces.foreignLines());
    },
  };
}

/** A text of its own: a part of a longer one keeps all of that in memory. */
export function ownText(part: string): string {
  return JSON.parse(JSON.stringify(part)) as string;
}
