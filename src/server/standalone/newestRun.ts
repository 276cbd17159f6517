/** The newest finished run of a project, looked for again and again. */
import { readRunHead } from "../../profile/run/runHead.ts";
import { listRunFolders, runsFolderOf } from "../../profile/run/runsFolder.ts";
import { UserError } from "../../profile/userError.ts";

export interface NewestRun {
  /** @returns its folder; undefined where there is none. Runs that cannot be read, or could not start, do not count. */
  find(): Promise<string | undefined>;
}

export function createNewestRun(project: string): NewestRun {
  // A finished run stays what it is: it is read once.
  const settled = new Map<string, boolean>();

  async function counts(folder: string): Promise<boolean> {
    const known = settled.get(folder);
    if (known !== undefined) return known;
    try {
      const { run } = await readRunHead(folder);
      if (run.state === "running") return false;
      settled.set(folder, run.exit?.kind !== "not-started");
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return false;
    }
    return settled.get(folder) ?? false;
  }

  return {
    async find() {
      try {
        for (const folder of await listRunFolders(runsFolderOf(project))) {
          if (await counts(folder)) return folder;
        }
      } catch (error) {
        // The folder may not be read now; it is looked at again.
        if (!(error instanceof UserError)) throw error;
      }
      return undefined;
    },
  };
}
