/**
 * What people read, in their language. English stands in the code and is the key of its translation; the other
 * languages lie in `l10n/`. Nothing says a language: English.
 */
import { wordsKey } from "./key.ts";
import { type Language, wordsHolder } from "./wordsHolder.ts";

/**
 * A text in the language of this program. Never called while a module loads: the language may not be known yet.
 *
 * @param text English, in the source as it stands here, so that it can be found; `{0}` is the place of the first value
 */
export function t(text: string, ...values: readonly (string | number)[]): string {
  return filled(translated(text), values);
}

/** English of the catalogue that is still to be said. */
export interface Phrase {
  readonly text: string;
  readonly values: readonly (string | number | Phrase)[];
}

/** A text of a table that is made while a module loads: found in the source like those of `t`, put into words by `say`. */
export const phrase = (text: string, ...values: Phrase["values"]): Phrase => ({ text, values });

/** Where a phrase may stand: what is the same in every language. */
export const verbatim = (text: string): Phrase => ({ text: "{0}", values: [text] });

export function say({ text, values }: Phrase): string {
  const said = values.map((value) => (typeof value === "object" ? say(value) : value));
  return filled(translated(text), said);
}

/** For this folder. */
export function filled(text: string, values: readonly (string | number)[]): string {
  return values.length === 0
    ? text
    : text.replace(/\{(\d)\}/g, (place, index: string) => String(values[Number(index)] ?? place));
}

function translated(text: string): string {
  return wordsHolder.jetsonMemprofWords?.words[wordsKey(text)] ?? text;
}

/** The language that texts are in, as HTML's `lang` names it. */
export function language(): Language {
  return wordsHolder.jetsonMemprofWords?.language ?? "en";
}

/** Texts in turn: `a`, `a and b`, `a, b and c`. */
export function listed(texts: readonly string[]): string {
  const last = texts.at(-1);
  if (last === undefined || texts.length === 1) return last ?? "";
  return t("{0} and {1}", texts.slice(0, -1).join(t(", ")), last);
}

/** Sentences one after the other. A Chinese one needs no space after it; what a program said in English does. */
export const sentences = (...texts: readonly (string | undefined)[]): string =>
  texts.filter(Boolean).reduce<string>((said, text) => {
    const joint = said === "" || (language() === "zh-CN" && /[。！？；：…）”]$/.test(said)) ? "" : " ";
    return `${said}${joint}${text}`;
  }, "");
