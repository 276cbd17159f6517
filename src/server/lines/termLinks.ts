/** The words in the heads of a hover's tables lead to what they mean. For VS Code, which knows the command. Pure. */
import { TERMS, termParts } from "../../profile/text/glossary.ts";
import { t } from "../../words/t.ts";
import { commandLink } from "./markdown.ts";

/** The table of a line's figures, which alone has words of ours down its first column; others name processes, stacks. */
function isOfFigures(head: string): boolean {
  const start = `| ${t("Memory")}`;
  return head.startsWith(start) && !/^\p{L}/u.test(head.slice(start.length));
}

/** @param markdown of a hover: its tables stand in paragraphs of their own */
export function withTermLinks(markdown: string): string {
  return markdown.split("\n\n").map(linked).join("\n\n");
}

function linked(block: string): string {
  const [head, rule, ...rows] = block.split("\n");
  if (head === undefined || rule === undefined || !/^\| :--/.test(rule)) return block;
  const named = isOfFigures(head) ? rows.map((row) => row.replace(/^\| ([^|]+) \|/, linkedText)) : rows;
  return [linkedText(head), rule, ...named].join("\n");
}

function linkedText(text: string): string {
  return termParts(text)
    .map((part) => (part.id === undefined ? part.text : link(part.text, part.id)))
    .join("");
}

function link(text: string, id: string): string {
  return commandLink(text, "explainTerm", id, TERMS.get(id)?.sentence ?? "");
}
