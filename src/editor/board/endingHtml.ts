/** The page of a run's end without its data, which comes by message only. */
import { attribute, type PageParts } from "../pageHtml.ts";

export interface EndingHtmlParts extends PageParts {
  /** The run folder; the page hands it back in its saved state. */
  readonly folder: string;
}

export function endingHtml(parts: EndingHtmlParts): string {
  const policy = `default-src 'none'; style-src ${parts.cspSource}; script-src 'nonce-${parts.nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${attribute(parts.styleUri)}">
<title>Why It Ended</title>
</head>
<body data-folder="${attribute(parts.folder)}">
<header>
<div><h1 id="title">Why It Ended</h1><span id="simulated" class="badge" hidden></span></div>
<div><p id="about" class="about"></p><button id="open-memory">Show Board Memory</button></div>
</header>
<div id="status" role="status">Reading the run…</div>
<div id="content" hidden>
<main id="ending" aria-label="What happened"></main>
<section id="advice" aria-labelledby="advice-title"><h2 id="advice-title">What could help</h2><div id="cards"></div></section>
</div>
<script nonce="${attribute(parts.nonce)}" src="${attribute(parts.scriptUri)}"></script>
</body>
</html>
`;
}
