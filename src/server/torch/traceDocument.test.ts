import { join } from "node:path";
import { expect, it } from "vitest";
import { readToPage } from "../../protocol/timeline.ts";
import { traceDocument } from "./traceDocument.ts";

const STEP = join(import.meta.dirname, "../../../test/fixtures/trace/step.pt.trace.json.gz");

it("a trace goes to the page as the page takes it, with every event and who held the peak", async () => {
  const document = await traceDocument(STEP);
  expect(readToPage(JSON.parse(JSON.stringify(document)))).toEqual(document);
  expect(document).toMatchObject({
    title: "step.pt.trace.json.gz",
    devices: [{ name: "CPU", totals: "trace" }],
    events: 40,
  });
  expect(document.moments).toHaveLength(40);
  const [held] = document.held;
  const sum = held?.holdings.reduce((total, { bytes }) => total + bytes, 0);
  const allocated = document.moments.map((moment) => moment.allocated[0] ?? 0);
  expect((sum ?? 0) + (held?.before ?? 0)).toBe(Math.max(...allocated));
});
