/** Which paint and which label a frame gets; by frame, not by node, of which there are many more. */

import type { Frame } from "../../src/massif/model.ts";
import { fileName, shortName } from "../../src/massif/tree/frameNames.ts";
import { printable } from "../../src/profile/text/text.ts";
import { libraryNames } from "./libraries.ts";
import { LIBRARY_PLACES, type Paint, type Palette } from "./palette.ts";

/** `train.py:33 train` for Python, as people look for lines; `malloc (libc.so.6)` for native frames. */
export function label(frame: Frame): string {
  if (frame.kind !== "python") return shortName(frame);
  const file = fileName(frame.path);
  return printable(frame.exact ? `${file}:${frame.line} ${frame.function}` : `${file} ${frame.function}`);
}

/** Labels of a graph's frames, made when they are first seen. */
export function labelsOf(frames: readonly Frame[]): (frame: number) => string {
  const made: (string | undefined)[] = new Array(frames.length);
  return (index) => {
    const known = made[index];
    if (known !== undefined) return known;
    const frame = frames[index];
    const text = frame ? label(frame) : "";
    made[index] = text;
    return text;
  };
}

/** Gives libraries their places in the legend, and keeps them while the page lives: a color must not change its meaning. */
export class LibraryPlaces {
  readonly #places = new Map<string, number>();

  /** Heaviest first. */
  add(names: Iterable<string>): void {
    for (const name of names) if (!this.#places.has(name)) this.#places.set(name, this.#places.size);
  }

  /** Those with a color of their own, in their order. */
  get named(): readonly string[] {
    return [...this.#places.keys()].slice(0, LIBRARY_PLACES);
  }

  of(library: string | undefined): number | undefined {
    return library === undefined ? undefined : this.#places.get(library);
  }
}

/** By frame. */
export function paintsOf(frames: readonly Frame[], palette: Palette, places: LibraryPlaces): Paint[] {
  const libraryOf = libraryNames();
  const paintOf = (frame: Frame): Paint => {
    switch (frame.kind) {
      case "python":
        return palette.python;
      case "native":
        return palette.libraries[places.of(libraryOf(frame)) ?? -1] ?? palette.other;
      case "below-threshold":
        return palette.belowThreshold;
      case "all":
        return palette.root;
    }
  };
  return frames.map(paintOf);
}
