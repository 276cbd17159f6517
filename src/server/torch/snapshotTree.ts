import type { WireTree } from "../../protocol/massif/massif.ts";
import type { LiveTree } from "../../torch/snapshot/liveTree.ts";
import { phrase, say } from "../../words/t.ts";
import { base64 } from "../base64.ts";
import type { SnapshotPlaces } from "./snapshotPlaces.ts";

const NO_STACK = phrase("no stack was recorded");

/** In the form in which the flame graph takes massif's trees; only the frames that occur have labels. */
export function wireLiveTree({ frames, frame, parent, bytes }: LiveTree, places: SnapshotPlaces): WireTree {
  const numbers = new Map<number, number>();
  const label = frame.map((place) => {
    const number = numbers.get(place) ?? numbers.size;
    numbers.set(place, number);
    return number;
  });
  const used = [...numbers.keys()].map((place) => frames[place]);
  return {
    labels: used.map((found) => (found === undefined ? say(NO_STACK) : found.name === "" ? "???" : found.name)),
    label: base64(label),
    parent: base64(parent),
    bytes: base64(bytes),
    python: used.flatMap((found, number) => {
      const place = found && places.place(found);
      return found && place ? [{ label: number, place, function: found.name, kind: "line" as const }] : [];
    }),
    library: [],
  };
}
