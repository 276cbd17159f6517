/** Where the shown run's other figures are, in a hover. For VS Code, which knows the commands. Pure. */
import type { RunInfo } from "../../profile/model.ts";
import { t } from "../../words/t.ts";

/**
 * Without arguments, each is about the run that is shown: the one hovered.
 * @param place of the hover's line, 1-based
 */
export function withViewLinks(
  markdown: string,
  { imported, engine }: Pick<RunInfo, "imported" | "engine">,
  place: { readonly uri: string; readonly line: number },
): string {
  const link = (text: string, command: string): string => `[${text}](command:jetsonMemprof.${command})`;
  const links = [
    // Other tools' reports have figures by line, and seldom more.
    ...(imported === undefined
      ? [link(t("Timeline"), "showTimeline"), link(t("Board Memory"), "showBoardMemory")]
      : []),
    // Massif has no figures of lines that stand beside those of other runs.
    ...(engine.name === "massif"
      ? []
      : [link(t("History"), `showLineHistory?${encodeURIComponent(JSON.stringify([place]))}`)]),
    link(t("Heaviest Line"), "showHeaviestLine"),
    link(t("Compare…"), "compareRuns"),
  ];
  // Below the figures: what explains them may be longer than the hover is high.
  const [figures = "", ...others] = markdown.split("\n\n");
  return [figures, links.join(" · "), ...others].join("\n\n");
}
