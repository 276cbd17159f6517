/** A run that is asked about: read, with what every answer on it begins with. */
import * as path from "node:path";
import { defined } from "../../../profile/defined.ts";
import type { Profile } from "../../../profile/model.ts";
import { openRunFolder, type RunReader } from "../../../profile/run/runFolder.ts";
import { runTitle } from "../../../profile/run/runJson.ts";
import { quoted, untrusted } from "../answer.ts";
import type { Workspace } from "../workspace.ts";

export interface AskedRun {
  readonly folder: string;
  readonly reader: RunReader;
  readonly profile: Profile;
  readonly heading: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}

export const STILL_RUNNING =
  "The run has not ended, or was not followed to its end: these are its figures until now, and they may change.";

/** @throws UserError as of finding and reading a run */
export async function askedRun(workspace: Workspace, run = "last"): Promise<AskedRun> {
  const folder = await workspace.run(run);
  const reader = openRunFolder(folder);
  await reader.refresh();
  const profile = reader.profile();
  const id = path.basename(folder);
  const { state, board, imported } = profile.run;
  const title = runTitle(profile.run);
  const isRunning = state === "running";
  return {
    folder,
    reader,
    profile,
    heading: [
      `Run ${id}: ${quoted(title, 120)}${board.model === undefined ? "" : ` on ${quoted(board.model, 80)}`}${board.simulated === undefined ? "" : " (a simulated board)"}.`,
      ...(isRunning ? [STILL_RUNNING] : []),
      ...(imported === undefined ? [] : [`Another tool measured it: ${quoted(imported.measures)}.`]),
    ],
    data: {
      run: defined({
        id,
        title: untrusted(title, 120),
        state,
        board: board.model === undefined ? undefined : untrusted(board.model, 80),
        simulated: board.simulated === undefined ? undefined : true,
      }),
    },
  };
}
