import { describe, expect, it } from "vitest";
import { openRunFolder } from "../../profile/run/runFolder.ts";
import { exportRun } from "./exportRun.ts";
import { code, plain } from "./markdown.ts";
import { makeTraining } from "./testing.ts";

async function markdownOf(changes: Readonly<Record<string, string>> = {}, run: object = {}): Promise<string> {
  const project = makeTraining(changes, run);
  const reader = openRunFolder(project.run);
  await reader.refresh();
  const { content } = await exportRun(reader, "markdown", {});
  project.remove();
  return [...content].join("");
}

describe("a run as Markdown", () => {
  it("says what ran, that the board is simulated, its peak, the heaviest lines and where the RAM was", async () => {
    const text = await markdownOf();
    expect(text).toContain("# Memory of train.py --batch-size 64\n\n**Simulated board (Jetson Nano)");
    expect(text).toContain("| Peak RSS | 972.0 MiB |");
    expect(text).toContain("| Commit | 3f2a9c0b1d4e (main), 1 file differed from it |");
    expect(text).toMatch(/\| `train\.py:25` \| \+402\.3 MiB \|.*\| `net = LeNet\(\)\.to\("cuda"\)` \|/);
    expect(text).toMatch(/\| CUDA context and libraries \| 310\.0 MiB \| \+310\.0 MiB \| estimated \|/);
    expect(text).toContain("| All of the RAM (MemTotal) | 3964.0 MiB |  | exact |");
    expect(text).toMatch(/\| starting CUDA \| 8\.9 s \|/);
  });

  it("has tables of as many cells in each row", async () => {
    const text = await markdownOf({}, { command: { python: "p", script: "a|b.py", args: ["x | y"] } });
    const tables = text.split("\n\n").filter((part) => part.startsWith("| "));
    expect(tables.length).toBeGreaterThanOrEqual(5);
    for (const table of tables) {
      const cells = table
        .trim()
        .split("\n")
        .map((row) => row.replaceAll(/\\\||[^|]/g, "").length);
      expect(new Set(cells).size).toBe(1);
    }
  });

  it("says how a run ended that did not end well", async () => {
    const text = await markdownOf(
      {},
      {
        exit: { kind: "out-of-memory", signal: "SIGKILL", evidence: "dmesg" },
        last_lines: [{ pid: 4242, thread: "MainThread", path: "train.py", line: 16 }],
        warnings: [{ code: "x", message: "<b>bold</b>" }],
      },
    );
    expect(text).toContain("| Ended | The kernel ended the script, as memory ran out (dmesg). |");
    expect(text).toContain("| Last line | train.py:16 (MainThread)  loss.backward() |");
    expect(text).toContain("- \\<b\\>bold\\</b\\>");
  });
});

describe("texts in Markdown", () => {
  it("stay text: no markup, no table cell, no link, nobody is notified", () => {
    expect(plain("a_b *c* `d` [e](f) <g> h|i")).toBe("a\\_b \\*c\\* \\`d\\` \\[e\\](f) \\<g\\> h\\|i");
    expect(plain("@team #12 &amp;")).toBe("&#64;team &#35;12 &#38;amp;");
    expect(plain("see https://example.org")).not.toContain("https://");
    expect(plain("a\u001b\nb")).toBe("a??b");
  });

  it("are code with a fence that they cannot close", () => {
    expect(code("x = 1")).toBe("`x = 1`");
    expect(code("a | b")).toBe("`a \\| b`");
    expect(code("`a`")).toBe("`` `a` ``");
    expect(code("a ``` b")).toBe("````a ``` b````");
    expect(code("")).toBe("");
    expect(code("x".repeat(500))).toHaveLength(102);
  });
});
