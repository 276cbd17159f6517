/** Files of other tools, read into the run model. */

import type { ImportFormat, Profile, RunInfo } from "../profile/model.ts";
import type { Sample } from "../profile/samples/samples.ts";
import type { GitState, RunLabel } from "../runs/model.ts";

/** What an importer makes of a file; `writeImportedRun` makes a run folder of it, so that every view can show it. */
export interface ImportedRun {
  readonly format: ImportFormat;
  /** `run.id` is given by the writer; files lie relative to the project, with `/`. */
  readonly profile: Omit<Profile, "run"> & { readonly run: Omit<RunInfo, "id"> };
  readonly samples: readonly Sample[];
  /** Records of moments.jsonl, the header first; empty where the file knows nothing of the board. */
  readonly moments: readonly object[];
  /** Files of the run folder as they are: massif.out.<pid>. */
  readonly verbatim: ReadonlyMap<string, Uint8Array>;
  /** By path: the lines' text as far as the file has it, or the project's own file where that fits. */
  readonly sources: ReadonlyMap<string, string>;
  /** What our own JSON has of what is kept beside a run. */
  readonly kept?: { readonly label?: RunLabel; readonly git?: GitState };
  /** What could not be taken over, in words. */
  readonly notes: readonly string[];
}
