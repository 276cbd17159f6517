import { t } from "../../words/t.ts";
import type { Problem } from "../model.ts";

/** More of them tell nobody more, and a broken file must not fill the memory. */
const MAX_PROBLEMS = 100;

export interface Problems {
  readonly list: readonly Problem[];
  add(line: number, message: string): void;
}

export function createProblems(): Problems {
  const list: Problem[] = [];
  return {
    list,
    add(line, message) {
      if (list.length < MAX_PROBLEMS) list.push({ line, message });
      else if (list.length === MAX_PROBLEMS) {
        list.push({ line, message: t("from this line on there are more problems, which are not listed") });
      }
    },
  };
}
