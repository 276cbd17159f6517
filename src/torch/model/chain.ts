/** The chain of a root's layers with what each step between them weighs. */
import { present } from "../../profile/files/jsonRecords.ts";
import type { ChainLayer, ChainTensor, LayerAccount, LayerChain } from "./model.ts";
import type { RecordOf } from "./record.ts";
import type { SavedRow } from "./rootTable.ts";

/**
 * @param rows what was saved at the chain's step, each storage counted once
 * @returns undefined where it names layers that are not there
 */
export function chainOf(
  record: RecordOf<"chain">,
  rows: readonly SavedRow[],
  step: RecordOf<"step"> | undefined,
  tree: { readonly layers: readonly LayerAccount[]; readonly place: ReadonlyMap<number, number> },
): LayerChain | undefined {
  const places = record.rows.good.flatMap(([module]) => tree.place.get(module) ?? []);
  if (places.length !== record.rows.good.length || places.length === 0) return undefined;
  const saved = new Set(rows.map((row) => row[1]));
  const inputs = new Set(rows.filter((row) => row[6] === "input").map((row) => row[1]));
  const own = ownInput(record, places, step, tree.layers);
  const tensor = (storage: number, bytes: number): ChainTensor => ({
    storage,
    bytes,
    saved: saved.has(storage),
    before: inputs.has(storage) || storage === own,
  });
  const boundaries = new Set(record.rows.good.flatMap(([, input, , output]) => [input, output]));
  const owner = ownersOf(places, tree.layers);
  const inner = places.map(() => 0);
  let elsewhere = 0;
  for (const [module, storage, bytes, , , , part] of rows) {
    if (part === "input" || boundaries.has(storage)) continue;
    const position = part === "after" ? undefined : owner.get(tree.place.get(module) ?? 0);
    if (position === undefined) elsewhere += bytes;
    else inner[position] = (inner[position] ?? 0) + bytes;
  }
  const layers = record.rows.good.map(
    ([, inStorage, inBytes, outStorage, outBytes], position): ChainLayer => ({
      layer: places[position] ?? 0,
      input: tensor(inStorage, inBytes),
      output: tensor(outStorage, outBytes),
      inner: inner[position] ?? 0,
    }),
  );
  return present({ step: record.step, batch: step?.batch, layers, elsewhere });
}

/**
 * Where the chain begins the root, its first input is the root's own: that may be saved by nobody, and so be in no row.
 * @returns its storage
 */
function ownInput(
  { rows }: RecordOf<"chain">,
  places: readonly number[],
  step: RecordOf<"step"> | undefined,
  layers: readonly LayerAccount[],
): number | undefined {
  const [first] = rows.good;
  if (first === undefined) return undefined;
  let above = 0;
  for (let layer = layers[places[0] ?? 0]; layer?.parent !== undefined; layer = layers[layer.parent]) above += 1;
  // In preorder, so many layers before it as there are above it: none ran before.
  const begins = above === places[0];
  return begins && step?.inputs.good[0]?.[2] === first[2] ? first[1] : undefined;
}

/** Each layer in or below one of the chain's, with that one's position in the chain. */
export function ownersOf(places: readonly number[], layers: readonly LayerAccount[]): ReadonlyMap<number, number> {
  const owner = new Map(places.map((layer, position) => [layer, position]));
  for (const { index, parent } of layers) {
    const above = parent === undefined ? undefined : owner.get(parent);
    if (above !== undefined && !owner.has(index)) owner.set(index, above);
  }
  return owner;
}
