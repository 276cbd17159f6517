import { expect, it } from "vitest";
import type { RunInfo } from "../../profile/model.ts";
import { withViewLinks } from "./viewLinks.ts";

const engine = { name: "line", exact: false, accelerator: true } as const;
const place = { uri: "file:///p/a%20(1).py", line: 7 };
const linksOf = (run: Pick<RunInfo, "imported" | "engine">): readonly string[] => {
  const [, links = ""] = withViewLinks("table\n\nRun: train.py.", run, place).split("\n\n");
  return links.split(" · ");
};
const names = (links: readonly string[]) => links.map((link) => /^\[(.+)\]/.exec(link)?.[1]);

it("lead from below the figures to the run's other views, and to the line's history", () => {
  const links = linksOf({ engine });
  expect(names(links)).toEqual(["Timeline", "Board Memory", "History", "Heaviest Line", "Compare…"]);
  const [, argument = ""] =
    /^\[History\]\(command:jetsonMemprof\.showLineHistory\?([^()]+)\)$/.exec(links[2] ?? "") ?? [];
  expect(JSON.parse(decodeURIComponent(argument))).toEqual([place]);
});

it("lead nowhere where a run has nothing", () => {
  const imported = { format: "scalene", file: "p.json", measures: "live blocks" } as const;
  expect(names(linksOf({ engine, imported }))).toEqual(["History", "Heaviest Line", "Compare…"]);
  expect(names(linksOf({ engine: { ...engine, name: "massif" } }))).not.toContain("History");
});
