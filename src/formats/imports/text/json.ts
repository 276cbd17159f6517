/** JSON that another program wrote, perhaps Python's json module, which writes NaN and Infinity too. */

import { t } from "../../../words/t.ts";
import { damagedFile } from "../importer.ts";

const NO_NUMBER = /(?<=[:[,]\s{0,100})(?:NaN|-?Infinity)(?=\s{0,100}[,\]}])/g;

/** @throws UserError `import-damaged` */
export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    try {
      return JSON.parse(text.replace(NO_NUMBER, "null"));
    } catch {
      const ends = text.trimEnd();
      const isCutOff = !/[}\]]$/.test(ends);
      throw damagedFile(
        file,
        isCutOff
          ? t("it ends in the middle, so it was cut off while it was written or copied")
          : t("it is not JSON ({0})", reason(error)),
      );
    }
  }
}

/** V8's words without the text they quote, which may be anything. */
function reason(error: unknown): string {
  const position = /at position (\d+)/.exec((error as Error).message)?.[1];
  return position === undefined ? t("it cannot be read") : t("at position {0}", position);
}
