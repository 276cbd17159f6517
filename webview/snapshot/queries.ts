/** Asks the editor, and brings answers to who asked. */
import type { SnapshotAnswer, SnapshotQuery, ToSnapshotEditor } from "../../src/protocol/torch/snapshot.ts";

/** More than a chart has room for. */
export const CHART_LAYERS = 15_000;
export const CHART_POINTS = 4_000;

/** A part of so many moments with what is beside it, so that it is drawn with all its allocations. */
export function withBeside({ from, to }: { readonly from: number; readonly to: number }, last: number) {
  const beside = Math.ceil((to - from) / 2);
  return { from: Math.max(0, from - beside), to: Math.min(last, to + beside) };
}

type About = SnapshotQuery["about"];
export type AnswerTo<What extends About> = Extract<SnapshotAnswer, { about: What }>;

interface Asked {
  readonly about: About;
  readonly resolve: (answer: SnapshotAnswer) => void;
  readonly reject: (error: Error) => void;
}

export class Queries {
  readonly #post: (message: ToSnapshotEditor) => void;
  readonly #asked = new Map<number, Asked>();
  #last = 0;

  constructor(post: (message: ToSnapshotEditor) => void) {
    this.#post = post;
  }

  /** Of the snapshot that is shown, or of the other one. Rejects with a message for the user. */
  ask<Query extends SnapshotQuery>(query: Query, of: "shown" | "other" = "shown"): Promise<AnswerTo<Query["about"]>> {
    return new Promise((resolve, reject) => {
      const request = ++this.#last;
      this.#asked.set(request, {
        about: query.about,
        resolve: (answer) => resolve(answer as AnswerTo<Query["about"]>),
        reject,
      });
      this.#post({ kind: "query", request, of, query });
    });
  }

  /** Answers to what was not asked, or to another question, are passed over. */
  received(request: number, answer: SnapshotAnswer | { readonly message: string }): void {
    const asked = this.#asked.get(request);
    if (asked === undefined || ("about" in answer && answer.about !== asked.about)) return;
    this.#asked.delete(request);
    if ("message" in answer) asked.reject(new Error(answer.message));
    else asked.resolve(answer);
  }
}
