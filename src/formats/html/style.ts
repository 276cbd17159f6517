/** The report's style. Colors are those of the editor's views where there is a like; contrasts are 4.5 or more. */

const LIGHT = `
  --paper: #ffffff; --raised: #f5f7f9; --ink: #1c2329; --faint: #57616b; --rule: #d5dbe1; --link: #0757a8;
  --rss: #0a5cad; --rss-area: #0a5cad26; --available: #2d7a3a; --available-area: #2d7a3a1f;
  --run: #0a5cad; --gpu: #8043a8; --others: #a35a00; --kernel: #5a6570; --cache: #35707a; --free: #b9c2ca;
  --low: #76663f; --medium: #8f5e00; --high: #93100a; --freed: #0063d3;
  --medium-back: #8f5e0014; --high-back: #93100a17; --badge: #fff3d6; --badge-ink: #5c4000; --on-bar: #ffffff; --on-free: #1c2329;`;
const DARK = `
  --paper: #14181d; --raised: #1c2229; --ink: #e4e9ee; --faint: #a0abb6; --rule: #343d47; --link: #79b8ff;
  --rss: #62a8f0; --rss-area: #62a8f033; --available: #6fbf7c; --available-area: #6fbf7c26;
  --run: #2f72b8; --gpu: #8f57ba; --others: #98611a; --kernel: #626e7a; --cache: #33757f; --free: #39434d;
  --low: #cdbb96; --medium: #e8ae2c; --high: #ff7a5c; --freed: #5aa9ff;
  --medium-back: #e8ae2c18; --high-back: #ff7a5c22; --badge: #4a3b12; --badge-ink: #ffe3a1; --on-bar: #ffffff; --on-free: #e4e9ee;`;

export const STYLE = `
:root { color-scheme: light dark;${LIGHT} }
@media screen and (prefers-color-scheme: dark) { :root {${DARK} } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0 auto; padding: 24px 28px 48px; max-width: 1180px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { margin: 0; font-size: 26px; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 40px 0 10px; padding-top: 14px; border-top: 1px solid var(--rule); font-size: 19px; }
p { margin: 6px 0; max-width: 90ch; overflow-wrap: anywhere; }
a { color: var(--link); }
code, .path, td.code, table.source { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.kind, .faint { color: var(--faint); }
.kind { margin: 0 0 2px; font-size: 13px; letter-spacing: 0.02em; }
.subtitle { margin: 4px 0 0; color: var(--faint); }
.badge { display: inline-block; margin: 10px 8px 0 0; padding: 2px 10px; border-radius: 4px; background: var(--badge); color: var(--badge-ink); font-weight: 600; font-size: 14px; }
.badge.bad { background: var(--high-back); color: var(--high); }
nav { margin: 14px 0 0; }
nav a { margin-right: 16px; white-space: nowrap; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 12px; margin: 22px 0 6px; padding: 0; }
.figures div { padding: 12px 14px; border: 1px solid var(--rule); border-radius: 6px; background: var(--raised); }
.figures dt { color: var(--faint); font-size: 13px; }
.figures dd { margin: 0; font-size: 23px; font-weight: 600; line-height: 1.35; font-variant-numeric: tabular-nums; }
.figures small { display: block; color: var(--faint); font-size: 12px; font-weight: 400; line-height: 1.4; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 3px 18px; margin: 18px 0 0; }
.facts dt { color: var(--faint); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.note { padding-left: 12px; border-left: 3px solid var(--rule); color: var(--faint); }
.note.warn { border-color: var(--medium); color: var(--ink); }
.scroll { position: relative; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 10px; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
thead th { color: var(--faint); font-size: 13px; font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 400; }
td.n, th.n { text-align: right; white-space: nowrap; }
td.code { font-size: 13px; white-space: pre; max-width: 300px; overflow: hidden; text-overflow: ellipsis; }
thead button { all: unset; cursor: pointer; }
thead button:hover { text-decoration: underline; }
th[aria-sort=descending] button::after { content: " \\25BE"; }
th[aria-sort=ascending] button::after { content: " \\25B4"; }
:focus-visible, thead button:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
svg { display: block; max-width: 100%; }
.timeline { width: 100%; height: auto; min-width: 640px; }
.timeline text { font: 12px system-ui, sans-serif; fill: var(--faint); }
.timeline .panel { font-weight: 600; font-size: 13px; fill: var(--ink); }
.timeline .mark-label { fill: var(--ink); font-weight: 600; paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
.timeline .grid { stroke: var(--rule); stroke-width: 1; }
.timeline .line { fill: none; stroke-width: 1.75; stroke-linejoin: round; }
.timeline .area { stroke: none; }
.timeline .rss .line { stroke: var(--rss); } .timeline .rss .area { fill: var(--rss-area); } .timeline .rss .mark { fill: var(--rss); }
.timeline .available .line { stroke: var(--available); } .timeline .available .area { fill: var(--available-area); } .timeline .available .mark { fill: var(--available); }
.stack { width: 100%; height: auto; min-width: 640px; margin: 12px 0 16px; border-radius: 4px; }
.stack text { font: 600 12px system-ui, sans-serif; fill: var(--on-bar); }
.stack .free text { fill: var(--on-free); }
rect.run, .run > rect { fill: var(--run); } rect.gpu, .gpu > rect { fill: var(--gpu); } rect.others, .others > rect { fill: var(--others); }
rect.kernel, .kernel > rect { fill: var(--kernel); } rect.cache, .cache > rect { fill: var(--cache); } rect.free, .free > rect { fill: var(--free); }
.key { display: inline-block; width: 10px; height: 10px; margin-right: 8px; border-radius: 2px; }
.key.run { background: var(--run); } .key.gpu { background: var(--gpu); } .key.others { background: var(--others); }
.key.kernel { background: var(--kernel); } .key.cache { background: var(--cache); } .key.free { background: var(--free); }
.ledger small { display: block; padding-left: 18px; color: var(--faint); font-size: 12px; }
.ledger td, .ledger th { white-space: nowrap; } .ledger tbody th { white-space: normal; min-width: 220px; }
.bar { width: 150px; height: 10px; margin-top: 6px; }
.weights .path { white-space: nowrap; font-size: 13px; }
.narrow { display: none; }
.weights .bar { width: 100px; } .weights .bar rect { fill: var(--rss); }
.how { margin: 8px 0 0; } .how dt { font-weight: 600; } .how dd { margin: 0 0 6px 18px; max-width: 90ch; }
.legend { margin: 8px 0; padding-left: 18px; color: var(--faint); font-size: 13.5px; }
details { margin: 6px 0; }
summary { cursor: pointer; padding: 5px 0; }
details.file { border: 1px solid var(--rule); border-radius: 6px; }
details.file > summary { display: flex; gap: 16px; justify-content: space-between; padding: 8px 12px; background: var(--raised); border-radius: 6px; }
details.file > summary::before { content: "\\25B8"; color: var(--faint); }
details.file[open] > summary::before { content: "\\25BE"; }
details.file[open] > summary { border-bottom: 1px solid var(--rule); border-radius: 6px 6px 0 0; }
details.file > .note { margin: 10px 12px; }
.path { overflow-wrap: anywhere; flex: 1; }
.total { font-weight: 600; white-space: nowrap; font-variant-numeric: tabular-nums; }
.tools button { margin-right: 8px; padding: 4px 12px; border: 1px solid var(--rule); border-radius: 4px; background: var(--raised); color: var(--ink); font: inherit; font-size: 14px; cursor: pointer; }
table.source { font-size: 12.5px; line-height: 1.45; }
table.source th, table.source td { padding: 1px 10px; border: 0; }
table.source thead th { padding: 6px 10px; font-family: system-ui, sans-serif; font-size: 12px; }
table.source td { text-align: right; white-space: nowrap; }
table.source td:first-child { color: var(--faint); border-right: 1px solid var(--rule); }
table.source td:last-child { width: 100%; text-align: left; white-space: pre; tab-size: 4; border-left: 1px solid var(--rule); }
.low td:nth-child(2) { color: var(--low); } .medium td:nth-child(2) { color: var(--medium); font-weight: 600; }
.high td:nth-child(2) { color: var(--high); font-weight: 700; } .freed td:nth-child(2) { color: var(--freed); }
table.source .medium td { background: var(--medium-back); } table.source .high td { background: var(--high-back); }
td.z { color: var(--faint); }
table.source .gap td { padding: 3px 10px; color: var(--faint); background: var(--raised); text-align: left; font-family: system-ui, sans-serif; font-size: 12px; }
.files { columns: 2; font-size: 13px; }
.flame-graph { width: 100%; height: auto; min-width: 900px; }
footer { margin-top: 40px; padding-top: 12px; border-top: 1px solid var(--rule); color: var(--faint); font-size: 13px; }
@media (max-width: 640px) {
  body { padding: 16px 14px 32px; }
  h1 { font-size: 21px; }
  .facts { grid-template-columns: 1fr; gap: 0; } .facts dd { margin-bottom: 8px; }
  .figures { grid-template-columns: 1fr 1fr; gap: 8px; } .figures dd { font-size: 19px; }
  .files { columns: 1; }
  .narrow { display: block; }
  table.source :is(td, th):nth-child(n + 3):not(:last-child):not([colspan]) { display: none; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 11px; }
  nav, .tools, .narrow { display: none; }
  details::details-content { content-visibility: visible; display: block; block-size: auto; }
  h2 { break-after: avoid; }
  tr, .figures div, svg { break-inside: avoid; }
  .scroll { overflow: visible; }
  .timeline, .stack, .flame-graph { min-width: 0; }
  .figures { grid-template-columns: repeat(4, 1fr); } .figures dd { font-size: 16px; }
  th, td { padding: 2px 5px; font-size: 9.5px; } thead th { font-size: 9px; white-space: normal; }
  .weights .path, td.code { font-size: 9px; } .weights .bar { width: 50px; } .ledger .bar { width: 90px; }
  table.source th, table.source td { padding: 0 5px; } table.source thead th { font-size: 8px; padding: 2px 5px; }
  table.source, table.source td { font-size: 8.5px; } table.source td:last-child { white-space: pre-wrap; overflow-wrap: anywhere; }
  td.code { white-space: pre-wrap; overflow-wrap: anywhere; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
