/** `why`: why a run ran out of memory, and what could be done about its memory. */
import * as path from "node:path";
import { explainRun } from "../../../board/node/readEnding.ts";
import { openRunFolder } from "../../../profile/run/runFolder.ts";
import { runTitle } from "../../../profile/run/runJson.ts";
import type { WhyCommand } from "../../commandLine/commandLine.ts";
import { findRun } from "../../runs/runLookup.ts";
import { jsonText, type Output } from "../../terminal/output.ts";
import { placeOfRun } from "../boardPlace.ts";
import { whyJson } from "./whyJson.ts";
import { whyText } from "./whyText.ts";

/** @throws UserError */
export async function why(command: WhyCommand, output: Output): Promise<void> {
  const reader = openRunFolder(await findRun(command.run, path.resolve(command.project ?? ".")));
  await reader.refresh();
  const { run, origin } = reader.profile();
  const explained = await explainRun(reader);
  if (command.json) output.write(jsonText(whyJson(run.id, explained)));
  else {
    const place = placeOfRun(origin, run.board.simulated);
    const head = [runTitle(run), explained.board.title, place].filter((part) => part !== undefined);
    output.write(whyText(head.join(" · "), run.state === "running", explained));
  }
}
