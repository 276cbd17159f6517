/** Where the shown run's other figures are, in a hover. For VS Code, which knows the commands. Pure. */
import type { RunInfo } from "../../profile/model.ts";
import { t } from "../../words/t.ts";
import { commandLink } from "./markdown.ts";

/**
 * Each is about the run that is shown: the one hovered.
 * @param place of the hover's line, 1-based
 */
export function withViewLinks(
  markdown: string,
  { imported, engine }: Pick<RunInfo, "imported" | "engine">,
  place: { readonly uri: string; readonly line: number },
): string {
  const links = [
    // Other tools' reports have figures by line, and seldom more.
    ...(imported === undefined
      ? [commandLink(t("Timeline"), "showTimeline"), commandLink(t("Board Memory"), "showBoardMemory")]
      : []),
    // Massif has no figures of lines that stand beside those of other runs.
    ...(engine.name === "massif" ? [] : [commandLink(t("History"), "showLineHistory", place)]),
    commandLink(t("Heaviest Line"), "showHeaviestLine"),
    commandLink(t("Compare…"), "compareRuns"),
  ];
  // Below the figures: what explains them may be longer than the hover is high.
  const [figures = "", ...others] = markdown.split("\n\n");
  return [figures, links.join(" · "), ...others].join("\n\n");
}
