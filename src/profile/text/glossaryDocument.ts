/** The glossary as a Markdown document. Pure. */
import { type Phrase, phrase, say, sentences, t } from "../../words/t.ts";
import { GLOSSARY, type Term } from "./glossary.ts";
import { GLOSSARY_TEXTS } from "./glossaryTexts.ts";

const TITLES: Readonly<Record<keyof typeof GLOSSARY, Phrase>> = {
  "The memory of a process": phrase("The memory of a process"),
  "The memory of the board": phrase("The memory of the board"),
  "PyTorch and CUDA": phrase("PyTorch and CUDA"),
  "Figures of a line": phrase("Figures of a line"),
  Runs: phrase("Runs"),
};

const introduction = (): string =>
  t(
    `What the words mean here, and where the product shows them. In VS Code, **Explain a Term…** finds each by any of its names, and a word with dots below it in a page shows its first sentence. Sizes are in MiB, and a MiB is 2^20 bytes. The kB of \`/proc\`, \`free\` and \`smem\` are 1024 bytes, and the MB of tegrastats are MiB: of a Nano it prints 3964 MB, and the kernel's MemTotal there is 3964.1 MiB.`,
  );

/** All there is to say of a term. */
function termText(id: string, { sentence }: Term): string {
  const more = GLOSSARY_TEXTS.get(id);
  return sentences(sentence, more && say(more));
}

export function glossaryMarkdown(): string {
  const groups = Object.entries(GLOSSARY).map(([title, terms]) =>
    [
      `## ${say(TITLES[title as keyof typeof GLOSSARY])}`,
      ...Object.entries<Term>(terms).map(([id, term]) => `### ${term.name}\n${termText(id, term)}`),
    ].join("\n\n"),
  );
  const parts = [`# ${t("Glossary")}`, introduction(), ...groups];
  return `${parts.join("\n\n").replaceAll(/^(## .*)\n\n###/gm, "$1\n###")}\n`;
}

/** Without what leads into other documents: in brackets it goes, within a sentence its words stay. */
const alone = (markdown: string): string =>
  markdown.replaceAll(/ \(\[[^\]]+\]\((?!#)[^)]*\)\)/g, "").replaceAll(/\[([^\]]+)\]\((?!#)[^)]*\)/g, "$1");

/** The document for a reader who does not have the others. */
export const glossaryAlone = (): string => alone(glossaryMarkdown());

/** Text for a place that shows no Markdown. */
export function plainTermText(id: string, term: Term): string {
  return alone(termText(id, term))
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replaceAll(/\*\*?([^*]+)\*\*?|`([^`]+)`/g, (_, strong: string | undefined, code: string) => strong ?? code);
}
