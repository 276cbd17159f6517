/** The part of our own JSON that was kept beside the run: what of it holds where the run is imported. */

import { present } from "../../../profile/files/jsonRecords.ts";
import { gitFrom, labelFrom } from "../../../runs/keeping.ts";
import { nameProblem, noteProblem, tagsProblem } from "../../../runs/labels.ts";
import type { GitState, RunLabel } from "../../../runs/model.ts";
import { t } from "../../../words/t.ts";
import type { ImportedRun } from "../../model.ts";

/** Lists of runs hold a git state's names: more than runs keep of them, however they are escaped. */
const MOST_GIT = 512 * 1024;

interface Taken<T> {
  readonly value?: T;
  /** Why it is not all of it. */
  readonly notes: readonly string[];
}

export interface ImportedKept {
  readonly kept: NonNullable<ImportedRun["kept"]>;
  readonly notes: readonly string[];
}

export function importedKept(raw: Readonly<Record<string, unknown>>): ImportedKept {
  const label = takenLabel(raw["label"]);
  const git = takenGit(raw["git"]);
  // A copy of one of them, so that none of them counts twice.
  const alone =
    raw["group"] == null ? [] : [t("The run is one of several that were made together; it stands alone here.")];
  return {
    kept: present({ label: label.value, git: git.value }),
    notes: [...label.notes, ...git.notes, ...alone],
  };
}

/** Without a pin: what is never deleted from a disk is for its owner to say, not for who made the file. */
function takenLabel(raw: unknown): Taken<RunLabel> {
  if (raw == null) return { notes: [] };
  const label = labelFrom(raw);
  const problem = label && (nameProblem(label.name ?? "") ?? noteProblem(label.note ?? "") ?? tagsProblem(label.tags));
  if (label === undefined || problem !== undefined) {
    return { notes: [t("The run's name, note and tags in the file cannot be used and were left out.")] };
  }
  const notes = label.pinned
    ? [t("The run was pinned where it was exported. It is not pinned here; pin it if it should always stay.")]
    : [];
  const isEmpty = label.name === undefined && label.note === undefined && label.tags.length === 0;
  return isEmpty ? { notes } : { value: { ...label, pinned: false }, notes };
}

function takenGit(raw: unknown): Taken<GitState> {
  if (raw == null) return { notes: [] };
  const git = gitFrom(raw);
  if (git === undefined || JSON.stringify(git).length > MOST_GIT) {
    return { notes: [t("The commit of the run's sources in the file cannot be read and was left out.")] };
  }
  return { value: git, notes: [] };
}
