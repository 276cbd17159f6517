/** A run folder in which every one of very many lines took something: the worst that the views can be given. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonLines } from "../../../../src/profile/testing.ts";

const ROWS = 500;

/** Files by name with their number of lines; each line took up to 3 MiB, in another order for another `seed`. */
export function writeRun(project: string, id: string, files: ReadonlyMap<string, number>, seed: number): string {
  const folder = join(project, ".jetson-memprof", "runs", id);
  mkdirSync(join(folder, "sources"), { recursive: true });
  const texts = new Map(
    [...files].map(([path, lines]) => [
      path,
      Array.from({ length: lines }, (_, i) => `value_${i % 50} = ${i}\n`).join(""),
    ]),
  );
  // A kept source with other contents than were measured would not be read as that.
  const digests = new Map([...texts].map(([path, text]) => [path, createHash("sha256").update(text).digest("hex")]));
  const described = [...digests].map(([path, sha256]) => ({ path, sha256, source: `sources/${path}` }));
  const records = [...files].flatMap(([path, lines], file) => {
    const text = texts.get(path) ?? "";
    writeFileSync(join(folder, "sources", path), text);
    writeFileSync(join(project, path), text);
    return [
      { record: "file", file, path, sha256: digests.get(path), lines, functions: [] },
      ...Array.from({ length: lines / ROWS }, (_, part) => {
        const rows = Array.from({ length: ROWS }, (_, i) => {
          const line = part * ROWS + i + 1;
          const took = 4096 * ((line * seed) % 769);
          return [file, line, 1, took, took, took, took, 600_000_000 + took, 0];
        });
        return { record: "rows", t: 200, pid: 10, rows };
      }),
    ];
  });
  const head = [
    { schema: 1, record: "header", run: id },
    { record: "process", pid: 10, ppid: 9, kind: "main", label: "main", implementation: "pure" },
  ];
  writeFileSync(join(folder, "lines.jsonl"), jsonLines([...head, ...records, { record: "end", t: 900 }]));
  const run = {
    schema: 1,
    id,
    state: "finished",
    engine: { name: "line", exact: true, peak: true, accelerator: false },
    command: { python: "python3", script: "large.py", args: [] },
    started: "2026-01-01T00:00:00Z",
    elapsed_ms: 1_000,
    exit: { kind: "exited", code: 0 },
    files: described,
    processes: [],
    warnings: [],
    metrics: ["rss"],
  };
  writeFileSync(join(folder, "run.json"), `${JSON.stringify(run)}\n`);
  return folder;
}
