/** The page of Check Board without its data, which comes by message only. */
import { attribute, type PageParts } from "../pageHtml.ts";

export function doctorHtml(parts: PageParts): string {
  const policy = `default-src 'none'; style-src ${parts.cspSource}; script-src 'nonce-${parts.nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${attribute(parts.styleUri)}">
<title>Check Board</title>
</head>
<body>
<header>
<div><h1 id="title">Check Board</h1><span id="simulated" class="badge" hidden></span></div>
<div><p id="about" class="about"></p><button id="again" disabled>Check Again</button></div>
</header>
<div id="status" role="status">Waiting for the board's answer…</div>
<ul id="summary" aria-label="Summary"></ul>
<main id="topics"></main>
<script nonce="${attribute(parts.nonce)}" src="${attribute(parts.scriptUri)}"></script>
</body>
</html>
`;
}
