/** Names, notes and tags as people type them. */
import { printable } from "../profile/text/text.ts";
import { UserError } from "../profile/userError.ts";
import { t } from "../words/t.ts";
import { LONGEST_NAME, LONGEST_NOTE, LONGEST_TAG, MOST_TAGS } from "./keeping.ts";
import type { RunLabel } from "./model.ts";

/** The label with that name; an empty one takes the name away. @throws UserError `bad-name` */
export function renamed({ name: _before, ...label }: RunLabel, text: string): RunLabel {
  const name = text.trim();
  const problem = nameProblem(name);
  if (problem !== undefined) throw new UserError("bad-name", problem, t("Choose another name."));
  return name === "" ? label : { ...label, name };
}

export function nameProblem(name: string): string | undefined {
  if (name.trim().length > LONGEST_NAME) return t("A name can have at most {0} characters.", LONGEST_NAME);
  return hidesText(name) ? t("A name cannot contain control characters or marks of writing direction.") : undefined;
}

/** The label with that note; an empty one takes the note away. @throws UserError `bad-note` */
export function noted({ note: _before, ...label }: RunLabel, text: string): RunLabel {
  const note = text.trim();
  const problem = noteProblem(note);
  if (problem !== undefined) throw new UserError("bad-note", problem, t("Change the note."));
  return note === "" ? label : { ...label, note };
}

export function noteProblem(note: string): string | undefined {
  if (note.trim().length > LONGEST_NOTE) return t("A note can have at most {0} characters.", LONGEST_NOTE);
  return hidesText(note) ? t("A note cannot contain control characters or marks of writing direction.") : undefined;
}

/** The tags of a text that has them apart by blanks or commas; a `#` before one is not part of it. */
export function tagsOf(text: string): string[] {
  const tags = text.split(/[\s,]+/).map((tag) => tag.replace(/^#+/, ""));
  return [...new Set(tags)].filter((tag) => tag !== "");
}

/** @throws UserError `bad-tag` */
export function retagged(label: RunLabel, tags: readonly string[]): RunLabel {
  const problem = tagsProblem(tags);
  if (problem !== undefined) throw new UserError("bad-tag", problem, t("Change the tags."));
  return { ...label, tags: [...new Set(tags)] };
}

export function tagsProblem(tags: readonly string[]): string | undefined {
  if (tags.length > MOST_TAGS) return t("A run can have at most {0} tags.", MOST_TAGS);
  const long = tags.find((tag) => tag.length > LONGEST_TAG);
  if (long !== undefined) return t("A tag can have at most {0} characters.", LONGEST_TAG);
  const bad = tags.some((tag) => tag === "" || hidesText(tag) || /[\s,]/.test(tag));
  return bad ? t("A tag cannot contain spaces, commas or control characters.") : undefined;
}

export function pinned(label: RunLabel, pin: boolean): RunLabel {
  return { ...label, pinned: pin };
}

function hidesText(text: string): boolean {
  return text.includes("\t") || printable(text) !== text;
}
