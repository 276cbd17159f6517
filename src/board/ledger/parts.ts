/** Processes of one name as one part of a row. */
import { t } from "../../words/t.ts";
import type { LedgerRow } from "./model.ts";

const MOST_PARTS = 24;

type Parts = NonNullable<LedgerRow["parts"]>;

/** By name, the largest first, what holds nothing left out; many small ones become one part. The sum stays the same. */
export function partsByName(items: readonly { readonly name: string; readonly bytes: number }[]): Parts {
  const names = new Map<string, { bytes: number; count: number }>();
  for (const { name, bytes } of items) {
    if (bytes === 0) continue;
    const part = names.get(name) ?? { bytes: 0, count: 0 };
    names.set(name, { bytes: part.bytes + bytes, count: part.count + 1 });
  }
  const parts = [...names]
    .map(([name, { bytes, count }]) => ({ label: count > 1 ? t("{0} ({1} processes)", name, count) : name, bytes }))
    .sort((a, b) => b.bytes - a.bytes || (a.label < b.label ? -1 : 1));
  if (parts.length <= MOST_PARTS) return parts;
  const small = parts.slice(MOST_PARTS - 1);
  const bytes = small.reduce((sum, part) => sum + part.bytes, 0);
  return [...parts.slice(0, MOST_PARTS - 1), { label: t("{0} smaller ones", small.length), bytes }];
}
