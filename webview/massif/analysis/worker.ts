/** The worker's side of the page: runs one job after the other. */
import { UserError } from "../../../src/profile/userError.ts";
import { t } from "../../../src/words/t.ts";
import { createAnalysis } from "./analysis.ts";
import type { Graph, JobMessage, ResultMessage } from "./jobs.ts";

/** A worker's global scope, of which the browser's types know only a window's. */
declare const self: {
  onmessage: ((event: MessageEvent<JobMessage>) => void) | null;
  postMessage(message: ResultMessage, transfer: Transferable[]): void;
};

const analysis = createAnalysis();

/** What only the page needs is handed over, not copied; the tree and its weights stay here for search and exports. */
const handedOver = ({ layout, ends }: Graph): Transferable[] =>
  [layout.node, layout.x0, layout.x1, layout.depth, layout.rows, ends].map(({ buffer }) => buffer as ArrayBuffer);

function messageOf(error: unknown): string {
  if (error instanceof UserError) return [error.message, error.hint].filter(Boolean).join(" ");
  return t("The call stacks could not be processed: {0}", error instanceof Error ? error.message : String(error));
}

self.onmessage = ({ data: { id, job } }) => {
  try {
    const result = analysis.run(job);
    const transfer = job.kind === "graph" ? handedOver(result as Graph) : [];
    self.postMessage({ id, kind: "done", result }, transfer);
  } catch (error) {
    self.postMessage({ id, kind: "failed", message: messageOf(error) }, []);
  }
};
