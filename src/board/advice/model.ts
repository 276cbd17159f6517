/** What could be done about a run's memory; each with the figures it rests on. */
import type { CodePlace } from "../ending/model.ts";

export interface Advice {
  /** The rule's stable name: `library-load`, `swap-is-not-gpu`, … */
  readonly rule: string;
  /** The symptom as a person sees it, one sentence. */
  readonly symptom: string;
  /** Figures of this run: `at the baseline, 812.4 MiB in 11 processes of the desktop`. */
  readonly evidence: readonly string[];
  /** What to do on this board and release, whole sentences. */
  readonly remedy: string;
  readonly steps: readonly AdviceStep[];
  /** What it would save, where that can be estimated; `how` says from what. Bytes. */
  readonly saves?: { readonly bytes: number; readonly how: string };
  readonly source: { readonly title: string; readonly url: string };
  /** The line it is about. */
  readonly place?: CodePlace;
  /** `certain`: the run's figures prove the symptom; `likely`: they fit it. */
  readonly strength: "certain" | "likely";
}

export type AdviceStep =
  /** A shell command on the board. */
  | { readonly kind: "command"; readonly label: string; readonly command: string }
  /** A variable for the script's environment, by the setting `jetsonMemprof.environment`. */
  | { readonly kind: "environment"; readonly label: string; readonly name: string; readonly value: string }
  /** A change of one line that is safe to make: `find` stands in it exactly once. */
  | {
      readonly kind: "edit";
      readonly label: string;
      readonly place: CodePlace;
      readonly find: string;
      readonly replace: string;
    };
