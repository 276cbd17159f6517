/** What the page "why it was killed" and the editor say to each other; both check what they receive. */
import * as v from "valibot";
import type { Advice } from "../board/advice/model.ts";
import type { EndingReport } from "../board/ending/model.ts";
import { readMessage } from "./readMessage.ts";

/** Of one run: why it ended for want of memory (null where it did not), and what could be done. */
export interface RunEnding {
  readonly title: string;
  readonly board: string;
  readonly simulated?: string;
  /** Where it ran, in the form `parseTarget` reads; absent where that was not recorded. */
  readonly target?: string;
  readonly report: EndingReport | null;
  readonly advice: readonly Advice[];
}

export type ToEndingPage =
  | { readonly kind: "ending"; readonly ending: RunEnding }
  | { readonly kind: "unavailable"; readonly message: string };

const place = v.object({
  path: v.pipe(v.string(), v.minLength(1), v.maxLength(4_096)),
  line: v.pipe(v.number(), v.integer(), v.minValue(1)),
});

const toEditor = v.variant("kind", [
  v.object({ kind: v.literal("ready") }),
  v.object({ kind: v.literal("goTo"), place }),
  /** Take a step of an advice; both are positions in the lists that the page was sent. */
  v.object({ kind: v.literal("step"), advice: v.pipe(v.number(), v.integer()), step: v.pipe(v.number(), v.integer()) }),
  v.object({ kind: v.literal("openSource"), advice: v.pipe(v.number(), v.integer()) }),
  v.object({ kind: v.literal("openMemory") }),
]);

const pageState = v.object({ folder: v.pipe(v.string(), v.minLength(1)) });

export type EndingPageToEditor = v.InferOutput<typeof toEditor>;
export const readEndingPageToEditor = (value: unknown): EndingPageToEditor | undefined => readMessage(toEditor, value);
export const readEndingPageState = (value: unknown): v.InferOutput<typeof pageState> | undefined =>
  readMessage(pageState, value);
