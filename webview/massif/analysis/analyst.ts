/** The page's side of the worker. */
import code from "worker:./worker.ts";
import { t } from "../../../src/words/t.ts";
import { wordsHolder } from "../../../src/words/wordsHolder.ts";
import type { Job, JobMessage, ResultMessage, Results } from "./jobs.ts";

interface Waiting {
  readonly resolve: (result: Results[Job["kind"]]) => void;
  readonly reject: (error: Error) => void;
}

export interface Analyst {
  /** Rejects with a message for the user. Jobs are done in the order they were given. */
  run<Kind extends Job["kind"]>(job: Extract<Job, { kind: Kind }>): Promise<Results[Kind]>;
}

export function startAnalyst(): Analyst {
  // A worker has none of the page's words but what it is given.
  const words = `globalThis.jetsonMemprofWords = ${JSON.stringify(wordsHolder.jetsonMemprofWords)};\n`;
  const worker = new Worker(URL.createObjectURL(new Blob([words, code], { type: "text/javascript" })));
  const waiting = new Map<number, Waiting>();
  let last = 0;

  worker.onmessage = ({ data }: MessageEvent<ResultMessage>) => {
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.kind === "done") asked?.resolve(data.result);
    else asked?.reject(new Error(data.message));
  };
  worker.onerror = () => {
    for (const { reject } of waiting.values())
      reject(new Error(t("The call stacks could not be processed. Close the view and open it again.")));
    waiting.clear();
  };

  return {
    run<Kind extends Job["kind"]>(job: Extract<Job, { kind: Kind }>): Promise<Results[Kind]> {
      return new Promise((resolve, reject) => {
        const id = ++last;
        waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
        worker.postMessage({ id, job } satisfies JobMessage);
      });
    },
  };
}
