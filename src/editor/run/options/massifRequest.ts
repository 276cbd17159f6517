/** What a massif run is asked to do: the settings, and the lines to measure before and after. */
import * as path from "node:path";
import * as vscode from "vscode";
import { importPlaces, massifRequestOf } from "../../../protocol/run/massifRequest.ts";
import type { MassifRequest } from "../../../protocol/run/run.ts";
import { t } from "../../../words/t.ts";
import type { Ask } from "../../link/ask.ts";
import type { Services } from "../../services.ts";
import type { MassifRunSettings } from "../../settings/settings.ts";
import type { ChosenScript } from "./scriptChoice.ts";

/** @param runsFolder where the script's earlier runs lie */
export async function massifRequest(
  { ask, marks, report, log }: Pick<Services, "ask" | "marks" | "report" | "log">,
  { projectFolder, script }: ChosenScript,
  runsFolder: string,
  settings: MassifRunSettings,
): Promise<MassifRequest> {
  const { lastLineRun, heaviestLines, expectationOf } = await import("../../remote.ts");
  const [marked, last] = await Promise.all([
    markedLines({ marks, report }, projectFolder),
    lastLineRun(runsFolder, { script }),
  ]);
  const chosen = async (): Promise<Lines> => {
    if (last === undefined) return await importsOf(projectFolder, script, settings.lines);
    const heaviest = heaviestLines(last.profile, settings.lines);
    return await whereTheyAre(ask, projectFolder, path.join(runsFolder, last.profile.run.id), heaviest);
  };
  const lines = marked.length > 0 ? marked : await chosen();
  log.info(`${script}: measured before and after: ${lines.map(({ path, line }) => `${path}:${line}`).join(", ")}`);
  return massifRequestOf(settings, lines, last && expectationOf(last));
}

/** Those that the user marked; of what is no longer there the user is told. */
export async function markedLines(
  { marks, report }: Pick<Services, "marks" | "report">,
  projectFolder: string,
): Promise<Lines> {
  const { lines, lost } = await marks.of(projectFolder);
  if (lost.length > 0) {
    const places = lost.join(t(", "));
    report.tell(
      "warning",
      t("These marked lines are no longer there: {0}. Mark them again where they are now.", places),
    );
  }
  return lines;
}

type Lines = MassifRequest["lines"];

async function importsOf(projectFolder: string, script: string, count: number): Promise<Lines> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path.join(projectFolder, script)));
  return importPlaces(script, document.getText(), count);
}

/** The script may have been edited since the run: lines that were moved are followed, those that are gone are left out. */
async function whereTheyAre(ask: Ask, projectFolder: string, folder: string, lines: Lines): Promise<Lines> {
  const found = await Promise.all(
    lines.map(async (place) => {
      const uri = vscode.Uri.file(path.join(projectFolder, place.path)).toString();
      const now = await ask("jetsonMemprof/lineNow", { folder, ...place, uri });
      return now === null || now.gone ? [] : [{ path: place.path, line: now.line }];
    }),
  );
  return found.flat();
}
