/** The notebooks that are open in the editor, as the protocol's notebook documents tell of them. */

import * as v from "valibot";
import type { NotebookDocuments } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { uriToPath } from "../projectPath.ts";
import type { OpenCell } from "./matching.ts";

export interface OpenNotebook {
  readonly uri: string;
  /** Its cells with code. */
  readonly cells: readonly OpenCell[];
  /** Changes with what is in it. */
  readonly version: string;
}

/** VS Code's notebooks keep the id of a cell in the file here. */
const metadataSchema = v.object({ id: v.pipe(v.string(), v.minLength(1)) });
const CODE_CELL = 2;

/** The notebook that the document of a cell is in; undefined for any other document. */
export function openNotebookOf(notebooks: NotebookDocuments<TextDocument>, cellUri: string): OpenNotebook | undefined {
  const notebook = notebooks.findNotebookDocumentForCell(cellUri);
  if (notebook === undefined) return undefined;
  const cells = notebook.cells
    .filter(({ kind }) => kind === CODE_CELL)
    .map((cell) => {
      const document = notebooks.getCellTextDocument(cell);
      const metadata = v.safeParse(metadataSchema, cell.metadata);
      return {
        uri: cell.document,
        text: document?.getText() ?? "",
        version: document?.version ?? 0,
        ...(metadata.success ? { id: metadata.output.id } : {}),
      };
    });
  return {
    uri: notebook.uri,
    cells,
    version: JSON.stringify(cells.map(({ uri, version }) => [uri, version])),
  };
}

/** The open notebook at a path of this computer. */
export function openNotebookAt(
  notebooks: NotebookDocuments<TextDocument>,
  native: string,
  platform: NodeJS.Platform,
): OpenNotebook | undefined {
  const cell = notebooks.cellTextDocuments
    .keys()
    .find((uri) => uriToPath(notebooks.findNotebookDocumentForCell(uri)?.uri ?? uri, platform) === native);
  return cell === undefined ? undefined : openNotebookOf(notebooks, cell);
}
