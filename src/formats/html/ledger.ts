/** Where the board's RAM was at the run's peak, as bars with figures. */
import { GROUP_ORDER, groupLabel, groupTotals } from "../../board/ledger/ledger.ts";
import { surenessWord } from "../../board/ledger/ledgerText.ts";
import type { LedgerRow, Said } from "../../board/ledger/model.ts";
import { formatBytes, formatChange, formatShare, UNKNOWN } from "../../profile/text/format.ts";
import { t } from "../../words/t.ts";
import type { LedgerAtPeak } from "../exports/facts.ts";
import { html, type Markup } from "./markup.ts";

const WIDTH = 1000;
/** Of the labels in the bar. */
const CHARACTER = 7.4;

export function ledgerSection({ ledger, changes, when }: LedgerAtPeak): Markup {
  const changed = new Map(changes?.map(({ id, change }) => [id, change]));
  const most = ledger.rows.reduce((top, { bytes = 0 }) => Math.max(top, bytes), 1);
  const rows = ledger.rows.map((row) => rowMarkup(row, ledger.total, most, changed.get(row.id)));
  const how = ledger.rows.map(({ label, how }) => html`<dt>${label}<dd>${how}`);
  return html`<section id="ledger"><h2>Where the board’s RAM was</h2>
<p>At ${when}. The rows add up to all of the RAM (MemTotal), ${formatBytes(ledger.total)}.</p>
<div class="scroll" tabindex="0" role="region" aria-label="All of the RAM by groups">${stackedBar(ledger)}</div>
<div class="scroll" tabindex="0" role="region" aria-label="Where the board’s RAM was"><table class="ledger" aria-label="Where the board’s RAM was"><thead><tr><th scope="col">What<th scope="col" class="n">Size<th scope="col" class="n">Share<th scope="col" class="n">Change<th scope="col"><span class="hidden">Bar</span><th scope="col">Certainty<tbody>
${rows}</table></div>
<p class="faint">Change: since the moment before the script was started. Exact: the kernel counts it. Estimated: made of counts that overlap a little. Inferred: what remains, or what changed.</p>
${ledger.notes.map((note) => html`<p class="note">${note}</p>`)}
<details><summary>How each row is counted</summary><dl class="how">${how}</dl></details></section>`;
}

function rowMarkup(row: LedgerRow, total: number, most: number, change: number | undefined): Markup {
  const { group, label, bytes, sureness, parts = [], said = [] } = row;
  const share = bytes === undefined || total === 0 ? UNKNOWN : formatShare(bytes / total);
  const named = parts.slice(0, 4).map((part) => `${part.label} ${formatBytes(part.bytes)}`);
  const more = parts.length > named.length ? [t("{0} more", parts.length - named.length)] : [];
  const detail =
    named.length > 1 || more.length > 0 ? html`<small>${[...named, ...more].join(", ")}</small>` : undefined;
  return html`<tr><th scope="row"><span class="key ${group}"></span>${label} ${detail}${saidMarkup(said)}<td class="n">${bytes === undefined ? UNKNOWN : formatBytes(bytes)}<td class="n">${share}<td class="n">${change === undefined ? UNKNOWN : formatChange(change)}<td>${bar(group, bytes, most)}<td>${surenessWord(sureness)}
`;
}

/** Beneath the row, as it is no part of it. */
const saidMarkup = (said: readonly Said[]): readonly Markup[] =>
  said.map(({ label, bytes }) => html`<small>${label}: ${formatBytes(bytes)}, as it says itself</small>`);

function bar(group: string, bytes: number | undefined, most: number): Markup | undefined {
  if (bytes === undefined || bytes <= 0) return undefined;
  const width = Math.max(1, (100 * bytes) / most).toFixed(1);
  return html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="${group}" width="${width}" height="10"/></svg>`;
}

/** All of the RAM as one bar of its groups. */
function stackedBar(ledger: LedgerAtPeak["ledger"]): Markup {
  const totals = groupTotals(ledger);
  let x = 0;
  const parts = GROUP_ORDER.flatMap((group) => {
    const bytes = totals[group] ?? 0;
    if (bytes <= 0) return [];
    const width = (WIDTH * bytes) / ledger.total;
    const place = x;
    x += width;
    const name = `${groupLabel(group)}: ${formatBytes(bytes)}`;
    const room = 12 + CHARACTER * Math.max(groupLabel(group).length, formatBytes(bytes).length);
    const label =
      width < room
        ? undefined
        : html`<text x="${(place + 6).toFixed(1)}" y="18">${groupLabel(group)}</text><text x="${(place + 6).toFixed(1)}" y="33">${formatBytes(bytes)}</text>`;
    return [
      html`<g class="${group}"><title>${name}</title><rect x="${place.toFixed(1)}" width="${Math.max(0, width - 1).toFixed(1)}" height="42"/>${label}</g>`,
    ];
  });
  return html`<svg class="stack" viewBox="0 0 ${WIDTH} 42" role="img" aria-label="All of the RAM by groups; the table below has the figures.">${parts}</svg>`;
}
