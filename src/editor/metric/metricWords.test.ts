import { describe, expect, it } from "vitest";
import { fallbackText, nextMetric, rankMeaning, rankText, rankViews } from "./metricWords.ts";

describe("nextMetric", () => {
  it("goes round those that the run has, in their own order", () => {
    const run = { metrics: ["system", "rss", "cuda"] as const };
    expect(nextMetric(run, "rss")).toBe("cuda");
    expect(nextMetric(run, "cuda")).toBe("system");
    expect(nextMetric(run, "system")).toBe("rss");
    expect(nextMetric({ metrics: ["rss", "system"] }, "rss")).toBe("system");
  });

  it("stays at RSS where there is nothing else", () => {
    expect(nextMetric({ metrics: ["rss"] }, "rss")).toBe("rss");
  });
});

describe("fallbackText", () => {
  const run = { title: "train.py", metrics: ["rss"], state: "finished", massif: false } as const;

  it("says what the run does not have", () => {
    expect(fallbackText(run, "cuda")).toBe(
      "train.py has no CUDA figures of its lines (PyTorch did not use CUDA in it, or could not be asked), so RSS is shown.",
    );
    expect(fallbackText(run, "system")).toContain("has no board figures");
  });

  it("says nothing where it is shown, may still come, or is another kind of run", () => {
    expect(fallbackText(run, "rss")).toBeUndefined();
    expect(fallbackText({ ...run, metrics: ["rss", "cuda"] }, "cuda")).toBeUndefined();
    expect(fallbackText({ ...run, state: "running" }, "cuda")).toBeUndefined();
    expect(fallbackText({ ...run, massif: true }, "cuda")).toBeUndefined();
  });
});

describe("the ranks that can be looked at", () => {
  it("are all together, the highest, the middle one and each, and none of a run without ranks", () => {
    expect(rankViews([])).toEqual([]);
    const views = rankViews([0, 3]);
    expect(views.map(rankText)).toEqual(["all ranks", "highest rank", "middle rank", "rank 0", "rank 3"]);
    expect(new Set(views.map(rankMeaning)).size).toBe(4);
  });
});
