/** Writes a run into a file for others, away from the editor: a large report takes seconds. */
import { exportRun } from "../../formats/exports/exportRun.ts";
import { saveExport } from "../../formats/exports/saveExport.ts";
import type { ServerRequests } from "../../protocol/server.ts";
import type { RunStore } from "../runs/runStore.ts";

type Request = ServerRequests["jetsonMemprof/exportRun"];

/** @throws UserError `nothing-to-export`, `not-written`, and as RunReader.refresh */
export async function exportRunTo(
  store: RunStore,
  { folder, format, metric, file }: Request["params"],
): Promise<Request["result"]> {
  const exported = await exportRun(await store.get(folder), format, metric === undefined ? {} : { metric });
  await saveExport(exported, file, folder);
  return { notes: exported.notes };
}
