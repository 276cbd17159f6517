/** `why`: why a run ran out of memory, and what could be done about its memory. */
import * as path from "node:path";
import { explainRun } from "../board/node/readEnding.ts";
import { openRunFolder } from "../profile/runFolder.ts";
import { runTitle } from "../profile/runJson.ts";
import { placeOfRun } from "./boardPlace.ts";
import type { WhyCommand } from "./commandLine.ts";
import { jsonText, type Output } from "./output.ts";
import { findRun } from "./runLookup.ts";
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
