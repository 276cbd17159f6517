/** Which measured file the cell of an open notebook is, as of the shown run. */
import type { NotebookOfRun } from "../../profile/notebook.ts";
import type { RunReader } from "../../profile/run/runFolder.ts";
import { matchCells, type OpenCell, type ProfiledCell } from "./matching.ts";
import type { OpenNotebook } from "./openNotebooks.ts";

export interface CellPaths {
  /** The path of a cell as a measured file; undefined where the run has no such cell. */
  pathOf(reader: RunReader, notebook: OpenNotebook, cellUri: string): Promise<string | undefined>;
}

/** The latest answer is kept: all cells of a notebook are asked for one after the other. */
export function createCellPaths(): CellPaths {
  let kept: { readonly key: string; readonly paths: Promise<ReadonlyMap<string, string>> } | undefined;
  return {
    async pathOf(reader, notebook, cellUri) {
      const ran = reader.profile().run.notebook;
      if (ran === undefined) return undefined;
      const key = JSON.stringify([reader.folder, ran.cells.length, notebook.uri, notebook.version]);
      if (kept?.key !== key) {
        const asked = profiledCells(reader, ran);
        const now = { key, paths: asked.then((cells) => matchCells(cells, notebook.cells)) };
        kept = now;
        const forget = () => {
          if (kept === now) kept = undefined;
        };
        // A text that could not be read may have been on its way home, as those of a live run are.
        asked.then((cells) => cells.every(({ text }) => text !== undefined) || forget(), forget);
      }
      return (await kept.paths).get(cellUri);
    },
  };
}

/** The open cells' URIs to the paths of the run's cells. */
export async function pathsNow(
  reader: RunReader,
  ran: NotebookOfRun,
  open: readonly OpenCell[],
): Promise<ReadonlyMap<string, string>> {
  return matchCells(await profiledCells(reader, ran), open);
}

function profiledCells(reader: RunReader, { cells }: NotebookOfRun): Promise<ProfiledCell[]> {
  return Promise.all(cells.map(async (cell) => ({ ...cell, text: await reader.source(cell.path) })));
}
