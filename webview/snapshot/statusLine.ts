/** What is to be said of the file, and why a question has no answer: that until it has one. */
import { printable } from "../../src/profile/text/text.ts";
import type { SnapshotQuery } from "../../src/protocol/torch/snapshot.ts";
import { sentences } from "../../src/words/t.ts";
import { byId } from "../dom.ts";

type About = SnapshotQuery["about"];

export interface StatusLine {
  /** Of the file; empty where nothing is to be said. */
  show(notice: string): void;
  /** A question of this kind has no answer. */
  failed(about: About, error: unknown): void;
  answered(about: About): void;
  /** The questions were about another file. */
  forget(): void;
}

export function createStatusLine(first: string): StatusLine {
  const status = byId("status", HTMLElement);
  const faults = new Map<About, string>();
  let notice = first;

  function update(): void {
    status.textContent = printable(sentences(notice, ...faults.values()));
  }

  return {
    show(text) {
      notice = text;
      update();
    },
    failed(about, error) {
      faults.set(about, error instanceof Error ? error.message : String(error));
      update();
    },
    answered(about) {
      if (faults.delete(about)) update();
    },
    forget() {
      faults.clear();
    },
  };
}
