/** The HTML of every page: what it needs, and what stands around its content. */
import { language } from "../../words/t.ts";

export interface PageParts {
  /** Where VS Code serves the extension's files from, as a CSP source. */
  readonly cspSource: string;
  /** Fresh for each page and not to be guessed. */
  readonly nonce: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  /** The script of the language's words; English has none. */
  readonly words?: string;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text as it stands between the quotes of an attribute. */
export const attribute = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");

export interface PageContent {
  readonly title: string;
  /** The body's data attribute that the page's script reads, as `folder`. */
  readonly data?: readonly [name: string, value: string];
  readonly body: string;
  /** More than the style and script of our own, as in a content security policy. */
  readonly alsoAllowed?: string;
}

/** A page that loads nothing but the extension's own script and style. `title` and `body` are HTML. */
export function pageHtml(parts: PageParts, { title, data, body, alsoAllowed }: PageContent): string {
  const policy = [
    `default-src 'none'`,
    `style-src ${parts.cspSource}`,
    `script-src 'nonce-${parts.nonce}'`,
    alsoAllowed,
  ];
  const attributes = data === undefined ? "" : ` data-${data[0]}="${attribute(data[1])}"`;
  const nonce = attribute(parts.nonce);
  // Before the page's own script, which is a module and so waits for the whole page.
  const words = parts.words === undefined ? "" : `\n<script nonce="${nonce}">${parts.words}</script>`;
  return `<!DOCTYPE html>
<html lang="${language()}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy.filter(Boolean).join("; "))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${attribute(parts.styleUri)}">
<title>${title}</title>
</head>
<body${attributes}>
${body}${words}
<script type="module" nonce="${nonce}" src="${attribute(parts.scriptUri)}"></script>
</body>
</html>
`;
}
