/** Gets trees from the editor and has the worker keep them. */
import type { ToMassifEditor, TreeRef, WireTree } from "../../src/protocol/massif/massif.ts";
import type { Analyst } from "./analysis/analyst.ts";

interface Asked {
  readonly resolve: (tree: WireTree) => void;
  readonly reject: (error: Error) => void;
}

export class TreeLoader {
  readonly #analyst: Analyst;
  readonly #post: (message: ToMassifEditor) => void;
  readonly #asked = new Map<number, Asked>();
  #kept: readonly string[] = [];
  #last = 0;
  #generation = 0;

  constructor(analyst: Analyst, post: (message: ToMassifEditor) => void) {
    this.#analyst = analyst;
    this.#post = post;
  }

  /** Trees of the document so far are those of another state of the file. */
  forget(): void {
    this.#generation++;
  }

  /** Resolves to the names under which the worker keeps the trees; rejects with a message for the user. */
  async load(refs: readonly TreeRef[]): Promise<readonly string[]> {
    const names = refs.map((ref) => JSON.stringify([this.#generation, ref]));
    const get = async (ref: TreeRef, name: string): Promise<void> => {
      if (this.#kept.includes(name)) return;
      const wire = await this.#ask(ref);
      this.#kept = await this.#analyst.run({ kind: "store", name, wire, keep: names });
    };
    await Promise.all(refs.map((ref, i) => get(ref, names[i] ?? "")));
    return names;
  }

  /** Answers to what was not asked are passed over. */
  received(request: number, answer: { readonly tree: WireTree } | { readonly message: string }): void {
    const asked = this.#asked.get(request);
    this.#asked.delete(request);
    if ("tree" in answer) asked?.resolve(answer.tree);
    else asked?.reject(new Error(answer.message));
  }

  #ask(ref: TreeRef): Promise<WireTree> {
    return new Promise((resolve, reject) => {
      const request = ++this.#last;
      this.#asked.set(request, { resolve, reject });
      this.#post({ kind: "tree", request, ref });
    });
  }
}
