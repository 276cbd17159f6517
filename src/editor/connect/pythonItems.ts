/** The Pythons of a board, as they are offered. Pure. */
import type { SurveyedPython } from "../../board/survey.ts";
import { printable } from "../../profile/text/text.ts";
import { t } from "../../words/t.ts";
import { withoutIcons } from "../report/plainText.ts";

export interface PythonItem {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  /** On the board. */
  readonly path: string;
}

/** @param module what a script did not find: Pythons that are known to have it come first */
export function pythonItems(pythons: readonly SurveyedPython[], module?: string): readonly PythonItem[] {
  const has = (python: SurveyedPython): boolean => module === "torch" && python.torch !== undefined;
  return [...pythons]
    .sort((a, b) => Number(has(b)) - Number(has(a)))
    .map((python) => ({
      label: plain(`Python ${python.version}`),
      description: plain(python.path),
      detail: plain(packagesOf(python)),
      path: python.path,
    }));
}

function packagesOf({ torch, torch_cuda: cuda, memory_profiler: lines, used }: SurveyedPython): string {
  const build = cuda === null ? t("without CUDA") : cuda === undefined ? undefined : `CUDA ${cuda}`;
  const pytorch = build === undefined ? `PyTorch ${torch}` : `PyTorch ${torch} (${build})`;
  return [
    torch === undefined ? t("no PyTorch") : pytorch,
    lines === undefined ? undefined : `memory_profiler ${lines}`,
    used ? t("in use now") : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(" · ");
}

const plain = (text: string): string => withoutIcons(printable(text));
