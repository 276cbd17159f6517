/** HTML in which everything that is put in is text, unless it is markup already. */
import { escapeMarkup } from "../../profile/text/markup.ts";

/** Made by `html` or from what we wrote ourselves; never from a file's text. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Part = string | number | Markup | undefined | readonly Part[];

/** Parts are escaped; what is absent is nothing, lists stand one after the other. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  let text = strings[0] ?? "";
  for (const [place, part] of parts.entries()) text += textOf(part) + (strings[place + 1] ?? "");
  return new Markup(text);
}

function textOf(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Markup) return part.text;
  if (typeof part === "string") return escapeMarkup(part);
  return typeof part === "number" ? String(part) : part.map(textOf).join("");
}
