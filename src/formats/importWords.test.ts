import { expect, it } from "vitest";
import { importContent } from "./imports/importers.ts";
import { bytesOf, contextOf } from "./imports/testing.ts";
import { importedSentence } from "./importWords.ts";

it("says what was taken over, what it is and what was not, in short", () => {
  const text = "MEM 1.5 100.0\nMEM 2.5 100.1\nMEM -1 100.2\nnonsense\n";
  expect(importedSentence(importContent(bytesOf(text), {}, contextOf("m\u202e.dat")))).toBe(
    "A run was imported from mprof (m?.dat): 2 moments. The file has the memory over time, not by line. 1 measurement without a readable figure was left out. 1 more note is in the run's tooltip.",
  );
  const row = "    87 2081.602 MiB 1585.188 MiB           1   net = net.to(device)\n";
  expect(importedSentence(importContent(bytesOf(row), {}, contextOf("r.txt", {}, { source: "net.py" })))).toBe(
    "A run was imported from memory_profiler (r.txt): 1 line. The figures are process memory as memory_profiler reads it (RSS, unless it was told otherwise).",
  );
});
