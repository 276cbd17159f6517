/** What the HTML of every page needs. */

export interface PageParts {
  /** Where VS Code serves the extension's files from, as a CSP source. */
  readonly cspSource: string;
  /** Fresh for each page and not to be guessed. */
  readonly nonce: string;
  readonly scriptUri: string;
  readonly styleUri: string;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text as it stands between the quotes of an attribute. */
export const attribute = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
