/** Which paths are files of the workspace; the editor knows, and is asked once for each. */
import { MAX_PATHS } from "../../src/protocol/torch/snapshot.ts";

/** `name`: nothing but a file's name is the same, so it may be another file. */
export type Holding = "file" | "name" | "outside";

export class WorkspacePaths {
  readonly #ask: (paths: readonly string[]) => void;
  readonly #known = new Map<string, Holding>();
  readonly #waiting = new Set<string>();
  /** What was asked; answers come one at a time. */
  #asked: readonly string[] = [];

  constructor(ask: (paths: readonly string[]) => void) {
    this.#ask = ask;
  }

  /** Undefined until the answer is here. */
  holding(path: string): Holding | undefined {
    return this.#known.get(path);
  }

  want(paths: Iterable<string>): void {
    for (const path of paths)
      if (path !== "" && !this.#known.has(path) && !this.#asked.includes(path)) this.#waiting.add(path);
    if (this.#asked.length === 0) this.#next();
  }

  received(found: readonly { readonly path: string; readonly byName: boolean }[]): void {
    for (const path of this.#asked) this.#known.set(path, "outside");
    for (const { path, byName } of found) if (this.#known.has(path)) this.#known.set(path, byName ? "name" : "file");
    this.#asked = [];
    this.#next();
  }

  #next(): void {
    if (this.#waiting.size === 0) return;
    this.#asked = [...this.#waiting].slice(0, MAX_PATHS);
    for (const path of this.#asked) this.#waiting.delete(path);
    this.#ask(this.#asked);
  }
}
