/** A notebook that was run: each of its cells is a measured file of its own, `train.ipynb#cell3.py`. */
import { t } from "../words/t.ts";

export interface NotebookOfRun {
  /** Relative to the project folder, with `/`. */
  readonly path: string;
  readonly cells: readonly CellOfRun[];
}

export interface CellOfRun {
  /** As Jupyter counts code cells that are run from the top, from 1. */
  readonly number: number;
  /** The cell's own in the notebook; absent where the notebook has none. */
  readonly id?: string;
  /** As a measured file. */
  readonly path: string;
}

const CELL_PATH = /^(.+\.ipynb)#cell([1-9]\d*)\.py$/;

/** The notebook and the number of the cell whose path as a measured file this is; undefined for any other file. */
export function cellOf(path: string): { readonly notebook: string; readonly number: number } | undefined {
  const [, notebook, number] = CELL_PATH.exec(path) ?? [];
  return notebook === undefined ? undefined : { notebook, number: Number(number) };
}

/** What people call a measured file: `cell 3 of train.ipynb`, or its path. */
export function fileName(path: string): string {
  const cell = cellOf(path);
  return cell === undefined ? path : t("cell {0} of {1}", cell.number, cell.notebook);
}
