/** What several tools take. */
import * as v from "valibot";
import { METRICS } from "../../../profile/model.ts";

/** Names, paths and words from an agent are short. */
const LONGEST = 1000;
export const TEXT = v.pipe(v.string(), v.maxLength(LONGEST));
export const RUN = v.optional(TEXT);
export const RUN_SAYS =
  'The run\'s id from list_runs, the beginning of it, its name, or "last" (the newest; also where it is left out).';
export const METRIC = v.optional(v.picklist(METRICS));
export const METRIC_SAYS =
  "rss: the process's own memory (where it is left out). cuda: PyTorch's on the GPU. system: the whole board's.";

/** Rows that an answer may have where more were asked for. */
const MOST_ROWS = 200;
export const ROWS = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_ROWS)));
export const rowsSay = (usual: number): string =>
  `How many rows, ${usual} where it is left out. Above that an answer may be larger than 20 kB.`;
