/** The page's side of the search: an expression that takes too long is given up, and the page never waits for it. */
import code from "worker:./matcher.ts";
import type { FrameTree } from "../../../src/massif/model.ts";
import { fullName } from "../../../src/massif/tree/frameNames.ts";
import type { Expression } from "../../../src/massif/tree/search.ts";
import { t } from "../../../src/words/t.ts";
import type { ToMatcher } from "./matcher.ts";

/** Usual expressions take milliseconds; some, like `(a+)+$`, take hours on one long name of C++. */
const LONGEST_S = 5;

export interface Matching {
  /** 1 for each of the tree's frames whose name the expression is found in. One at a time. Rejects with a sentence. */
  match(tree: FrameTree, expression: Expression): Promise<Uint8Array>;
}

export function createMatching(): Matching {
  let worker: Worker | undefined;
  let known: FrameTree | undefined;

  function start(): Worker {
    known = undefined;
    return new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  }

  function end(): void {
    worker?.terminate();
    worker = undefined;
  }

  return {
    async match(tree, expression) {
      worker ??= start();
      const asked = worker;
      const tell = (message: ToMatcher): void => asked.postMessage(message);
      if (known !== tree) tell({ kind: "names", names: tree.frames.map(fullName) });
      known = tree;
      let timer = 0;
      try {
        return await new Promise<Uint8Array>((resolve, reject) => {
          asked.onmessage = ({ data }: MessageEvent<Uint8Array>) => resolve(data);
          asked.onerror = () =>
            reject(new Error(t("The call stacks could not be processed. Close the view and open it again.")));
          timer = window.setTimeout(() => {
            end();
            reject(new Error(t("The search was ended after {0} s: this expression takes too long here.", LONGEST_S)));
          }, LONGEST_S * 1000);
          tell(expression);
        });
      } finally {
        window.clearTimeout(timer);
      }
    },
  };
}
