import { expect, it } from "vitest";
import type { RunSummary } from "../../protocol/server.ts";
import { signText } from "./signText.ts";

const run = (title: string, started?: string, name?: string): RunSummary =>
  ({
    folder: `/p/${title}`,
    title,
    label: { tags: [], pinned: false, ...(name === undefined ? {} : { name }) },
    started,
  }) as unknown as RunSummary;

it("names both runs, cut to what a status bar holds", () => {
  const { text, tooltip } = signText(run("a.py", undefined, "on the CPU"), run("train.py --batch-size 64 --epochs 20"));
  expect(text).toBe("$(git-compare) on the CPU → train.py --batch-size 6…");
  expect(tooltip).toContain("After: train.py --batch-size 64 --epochs 20, time unknown");
});

it("runs of one name are told apart by their times", () => {
  const [early, late] = ["2026-11-21T09:45:00Z", "2026-11-21T10:12:00Z"];
  const times = [early, late].map((time) => new Date(time).toLocaleTimeString()).join(" → ");
  expect(signText(run("train.py", early), run("train.py", late)).text).toBe(`$(git-compare) train.py: ${times}`);
});

it("a name makes no icons", () => {
  expect(signText(run("$(flame) a"), run("b")).text).toBe("$(git-compare) $ (flame) a → b");
});
