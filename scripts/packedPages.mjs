// README and CHANGELOG as they go into a package whose repository nobody knows. VS Code shows them on the extension's
// page, where a relative link leads nowhere, and where recent versions show pictures from https addresses only.

const LINK = /(!?)\[((?:[^[\]\\]|\\.)*)\]\(([^()\s]+)\)/g;
const ABSOLUTE = /^([a-z][a-z+.-]*:|#)/i;
const NOTE = "Files that are named here are in the project's source code, the pictures too.";

/** See packedPages.d.mts. */
export function relativeTargets(markdown) {
  const inMarkdown = [...markdown.matchAll(LINK)].map(([, , , target]) => target);
  const inHtml = [...markdown.matchAll(/<[^>]+\s(?:src|srcset|href)=["']([^"']+)["']/gi)].map(([, target]) => target);
  return [...inMarkdown, ...inHtml].filter((target) => !ABSOLUTE.test(target));
}

/** The README's part for who has the source code: whoever installed the package has neither npm scripts nor examples. */
const FROM_SOURCE = /^## Two commands\n[\s\S]*?(?=^## )/m;

/** What changed in a version before which nobody had any: who installs it has all of that as something new. */
const OF_FIRST_VERSION = /^### (?:Changed|Fixed)\n[\s\S]*?(?=^##|(?![\s\S]))/gm;

/** See packedPages.d.mts. */
export function packedPage(markdown) {
  let named = false;
  const versions = markdown.match(/^## \[/gm)?.length ?? 0;
  const text = markdown
    .replace(FROM_SOURCE, "")
    .replace(OF_FIRST_VERSION, (part) => (versions > 1 ? part : ""))
    .replace(LINK, (link, picture, label, target) => {
      if (ABSOLUTE.test(target)) return link;
      if (picture) return "";
      named = true;
      const [file] = target.split("#");
      return label === file ? `\`${file}\`` : `${label} (\`${file}\`)`;
    })
    .replace(/\n{3,}/g, "\n\n")
    .replace(/\n+$/, "\n");
  const left = relativeTargets(text);
  if (left.length > 0) throw new Error(`These links would be dead in the package: ${left.join(", ")}`);
  return named ? `${text.trimEnd()}\n\n${NOTE}\n` : text;
}
