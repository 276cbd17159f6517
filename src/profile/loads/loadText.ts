/** What a line loaded, in words. */

import { t } from "../../words/t.ts";
import { formatBytes, formatChange } from "../text/format.ts";
import { printable } from "../text/text.ts";
import type { LineLoad } from "./lineLoads.ts";

const LONGEST_NAME = 120;

/** `model.pt (1.2 GiB)`. */
export function loadedFiles({ files, size }: LineLoad): string {
  const name = printable(files[0]?.path.split("/").at(-1) ?? "").slice(0, LONGEST_NAME);
  return files.length === 1
    ? t("{0} ({1})", name, formatBytes(size))
    : t("{0} files, {1} (the largest is {2})", files.length, formatBytes(size), name);
}

/** What it took of memory, sentences without their ends. */
export function loadFigures({ peak, kept, resident, copied = 0, files, gpu, gpuFrom }: LineLoad): string[] {
  const found: string[] = [];
  if (peak !== undefined) {
    found.push(
      kept === undefined
        ? t("the process grew by up to {0}; what stayed is not known", formatBytes(peak))
        : t("the process grew by up to {0}; {1} stayed", formatBytes(peak), formatChange(kept)),
    );
  }
  if (resident !== undefined) {
    found.push(
      t("{0} of it were pages of mapped files, {1} of these copied", formatBytes(resident), formatBytes(copied)),
    );
  } else if (files.some(({ mapped }) => mapped !== undefined)) {
    found.push(t("how much of the mapped files was in memory is not known"));
  }
  if (gpu !== undefined) {
    found.push(
      gpuFrom === "reserved"
        ? t("PyTorch reserved up to {0} of GPU memory", formatBytes(gpu))
        : t("the GPU's buffers (NvMap) grew by {0}", formatBytes(gpu)),
    );
  }
  return found;
}
