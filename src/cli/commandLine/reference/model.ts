/** The shape of what is known of a command: its parser, its help, its completion and the reference are made of it. */

import type { Phrase } from "../../../words/t.ts";

interface Described {
  /** A sentence without a capital and a point, as a list of options has it. */
  readonly says: Phrase;
  /** What holds where the option is not given, as it would be typed or in words. */
  readonly default?: string | Phrase;
  /** A heading that the option stands under; without one it stands first. */
  readonly group?: Phrase;
}

interface Valued extends Described {
  /** What stands for the value: `FILE`. */
  readonly value: string;
  /** All words that the value can be, where they can be counted. */
  readonly choices?: readonly string[];
}

export type OptionDescription =
  | (Described & { readonly kind: "flag" })
  | (Valued & { readonly kind: "value" })
  /** May be given several times. */
  | (Valued & { readonly kind: "list" })
  /** The value follows a `=`, never as a word of its own, and may be left out. */
  | (Valued & { readonly kind: "optional" })
  /** Two words follow; `lacking` ends the sentence that says so where they do not. */
  | (Valued & { readonly kind: "pair"; readonly lacking: Phrase });

/** By their names, without the dashes. */
export type Options = Readonly<Record<string, OptionDescription>>;

type ValueOf<Option extends OptionDescription> = Option["kind"] extends "flag"
  ? boolean
  : Option["kind"] extends "list"
    ? string[]
    : Option["kind"] extends "pair"
      ? readonly [string, string]
      : string;

/** What was given of them. */
export type Values<Known extends Options> = { -readonly [Name in keyof Known]?: ValueOf<Known[Name]> | undefined };

export interface CommandDescription {
  /** One word, or two as `runs tag`. */
  readonly name: string;
  /** One line for the list of commands, without a capital and a point. */
  readonly summary: Phrase;
  /** What follows the name; one for each way to call it. */
  readonly synopses: readonly string[];
  /** Paragraphs. */
  readonly about?: readonly Phrase[];
  /** Words that are no options. */
  readonly words?: readonly WordDescription[];
  readonly options: Options;
  /** Takes every option of `profile` too. */
  readonly withProfile?: true;
  /** What is typed after `jetson-memprof`, and what it does. */
  readonly examples: readonly Fact[];
  /** Besides those that every command has. */
  readonly exit?: readonly Fact[];
  readonly environment?: readonly Fact[];
  /** Where what `--json` prints is described, seen from docs/. */
  readonly json?: string;
}

export interface WordDescription {
  readonly name: string;
  readonly says: Phrase;
  readonly choices?: readonly string[];
}

export type Fact = readonly [name: string, says: Phrase];
