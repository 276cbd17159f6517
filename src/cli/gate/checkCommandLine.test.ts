import * as fs from "node:fs";
import { describe, expect, it } from "vitest";
import { parseCommandLine } from "../commandLine/commandLine.ts";
import { parseCheck } from "./checkCommandLine.ts";

describe("parseCheck", () => {
  it("takes the last run, and always asks how it ended", () => {
    expect(parseCheck(["--max-peak", "3.2GiB"])).toEqual({
      kind: "check",
      run: "last",
      baselines: [],
      metric: "rss",
      checks: [{ kind: "ending" }, { kind: "peak", metric: "rss", limit: 3_435_973_837 }],
      reports: [],
      annotations: "auto",
      strict: false,
      json: false,
    });
  });

  it("reads every limit, by one measure, and every report", () => {
    const given = [
      ...["2026", "--metric", "cuda", "--max-peak", "1B", "--max-line", "2B", "--max-peak-growth", "3B"],
      ...["--max-line-growth", "4B", "--baseline", "a", "--baseline", "b", "--junit", "j", "--sarif", "s"],
      ...["--code-quality", "q", "--annotations", "github", "--strict", "--json", "--project", "p"],
    ];
    expect(parseCheck(given)).toMatchObject({
      run: "2026",
      project: "p",
      baselines: ["a", "b"],
      checks: [
        { kind: "ending" },
        { kind: "peak", metric: "cuda", limit: 1 },
        { kind: "line", metric: "cuda", limit: 2 },
        { kind: "peak-growth", metric: "cuda", limit: 3 },
        { kind: "line-growth", metric: "cuda", limit: 4 },
      ],
      reports: [
        { format: "junit", path: "j" },
        { format: "sarif", path: "s" },
        { format: "code-quality", path: "q" },
      ],
      annotations: "github",
      strict: true,
      json: true,
    });
    expect(parseCheck(["--help"])).toBeUndefined();
  });
});

/** The commands of a document, as they would be typed. */
function commandsOf(file: string): string[][] {
  const text = fs.readFileSync(new URL(`../../../docs/${file}`, import.meta.url), "utf8");
  return [...text.matchAll(/(?<=^|run: |- )\s*jetson-memprof (.*?)(?: {2,}#.*)?$/gm)].map(([, line = ""]) =>
    // What the shell puts in its place stands for itself.
    line.replace("$limits", "--max-peak 3.2GiB").replaceAll('"', "").trim().split(/ +/),
  );
}

it.each([
  ["examples/github-memory.yml", 3],
  ["examples/gitlab-memory.yml", 2],
  ["gate.md", 4],
])("the commands of %s are commands", (file, count) => {
  const commands = commandsOf(file);
  expect(commands).toHaveLength(count);
  for (const command of commands) expect(parseCommandLine(command).kind).toMatch(/^(check|profile|repeat)$/);
});
