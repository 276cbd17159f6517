import type manifest from "../package.json";

export type Texts = Readonly<Record<string, string>>;
export type ManifestLanguage = "en" | "zh-cn";

export const LANGUAGES: readonly ManifestLanguage[];

/** The manifest's texts of a language, by key. */
export function textsOf(language: ManifestLanguage): Texts;

/** The keys of texts within a value, each as often as it is there. */
export function keysOf(value: unknown): readonly string[];

/** The same with texts where there are keys; a key without a text stays. */
export function withTexts<Value>(value: Value, texts: Texts): Value;

export function manifestIn(language: ManifestLanguage): typeof manifest;
