/** Makes a run of another tool's file, away from the editor: a large log takes half a minute to read. */
import { writeImportedRun } from "../../formats/importedRunFolder.ts";
import { readImport } from "../../formats/imports/node/readImport.ts";
import { UNKNOWN_FILE } from "../../formats/imports/places.ts";
import { importedSentence } from "../../formats/importWords.ts";
import type { ImportedRun } from "../../formats/model.ts";
import { defined } from "../../profile/defined.ts";
import { ensureRunsFolder } from "../../profile/run/runsFolder.ts";
import { UserError } from "../../profile/userError.ts";
import type { ImportedView, ServerRequests } from "../../protocol/server.ts";

type Request = ServerRequests["jetsonMemprof/importFile"];

/**
 * @param signal aborted before the run is written, nothing is, and it rejects with the signal's reason
 * @throws UserError as readImport (but for `import-foreign`) and writeImportedRun, `runs-folder`
 */
export async function importFile(
  { file, project, format, source }: Request["params"],
  signal?: AbortSignal,
): Promise<Request["result"]> {
  const request = {
    file,
    project,
    ...defined({ format }),
    ...(typeof source === "string" ? { source } : {}),
  };
  const imported = await readImport(request, signal).catch((error) => {
    if (error instanceof UserError && error.code === "import-foreign") return undefined;
    throw error;
  });
  if (imported === undefined) return { kind: "needs-format" };
  if (source === undefined && imported.profile.files.some(({ path }) => path === UNKNOWN_FILE)) {
    return { kind: "needs-file", format: imported.format };
  }
  signal?.throwIfAborted();
  const folder = await writeImportedRun(imported, await ensureRunsFolder(project));
  return { kind: "imported", folder, said: importedSentence(imported), views: viewsOf(imported) };
}

function viewsOf({ profile, samples, verbatim }: ImportedRun): ImportedView[] {
  return [
    ...(profile.files.length > 0 ? (["lines"] as const) : []),
    ...(samples.length > 1 ? (["timeline"] as const) : []),
    ...(verbatim.size > 0 ? (["stacks"] as const) : []),
  ];
}
