/** docs/keyboard.md as data: what Tab leads to on each page, and the walks. */
import { readFileSync } from "node:fs";

/** The name of a stop of the Tab key, or `others`: one or more that are not named. */
export type WrittenStop = { readonly kind: "named"; readonly name: string } | { readonly kind: "others" };

export type Press =
  | { readonly kind: "key"; readonly key: string; readonly times: number }
  | { readonly kind: "tab-to"; readonly name: string }
  | { readonly kind: "text"; readonly text: string };

export interface WrittenStep {
  readonly press: Press;
  /** All of it is heard then. */
  readonly heard: readonly string[];
}

export interface WrittenPage {
  readonly title: string;
  readonly stops: readonly WrittenStop[];
  readonly walks: readonly { readonly title: string; readonly steps: readonly WrittenStep[] }[];
}

/** The pages of the document: its parts that say what Tab leads to. */
export function writtenPages(file = "docs/keyboard.md"): readonly WrittenPage[] {
  const [, ...parts] = readFileSync(file, "utf8").split(/^## /m);
  return parts.filter((part) => part.includes("| Tab leads to |")).map(pageOf);
}

function pageOf(part: string): WrittenPage {
  const [own = "", ...walks] = part.split(/^### /m);
  return {
    title: titleOf(own),
    stops: rowsOf(own).map(([stop = ""]) => {
      const name = boldIn(stop)[0];
      return name === undefined ? { kind: "others" } : { kind: "named", name };
    }),
    walks: walks.map((walk) => ({
      title: titleOf(walk),
      steps: rowsOf(walk).map(([press = "", heard = ""]) => ({ press: pressOf(press), heard: boldIn(heard) })),
    })),
  };
}

const titleOf = (part: string): string => part.split("\n", 1)[0] ?? "";
const boldIn = (text: string): string[] => [...text.matchAll(/\*\*(.+?)\*\*/g)].map(([, bold = ""]) => bold);

/** The cells of the rows below a table's head. */
function rowsOf(part: string): string[][] {
  const [, , ...rows] = part.split("\n").filter((line) => line.startsWith("|"));
  return rows.map((row) =>
    row
      .slice(1, row.lastIndexOf("|"))
      .split("|")
      .map((cell) => cell.trim()),
  );
}

function pressOf(cell: string): Press {
  const text = /^“(.+)”$/.exec(cell)?.[1];
  if (text !== undefined) return { kind: "text", text };
  const [, key, times = "1"] = /^`(.+?)`(?: × (\d+))?/.exec(cell) ?? [];
  if (key === undefined) throw new Error(`docs/keyboard.md says to press “${cell}”, which is no key.`);
  const name = boldIn(cell)[0];
  return name === undefined ? { kind: "key", key, times: Number(times) } : { kind: "tab-to", name };
}
