import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { boardLines, training } from "../../board/testing.ts";
import { frameTreeOf } from "../../massif/tree/frameTree.ts";
import { FACTS, randomTree } from "../../massif/tree/treeTesting.ts";
import { openRunFolder } from "../../profile/run/runFolder.ts";
import { MIB } from "../../profile/testing.ts";
import { NOTHING_KEPT } from "../../runs/keeping.ts";
import { exportRun } from "../exports/exportRun.ts";
import type { ProcessHeap, WholeRun } from "../exports/model.ts";
import { makeTraining, randomProfile } from "../exports/testing.ts";
import { htmlReport } from "./report.ts";

async function reportOf(changes: Readonly<Record<string, string>> = {}, run: object = {}): Promise<string> {
  const project = makeTraining(changes, run);
  const reader = openRunFolder(project.run);
  await reader.refresh();
  const { content } = await exportRun(reader, "html", {});
  project.remove();
  return [...content].join("");
}

const whole = (changes: Partial<WholeRun>): WholeRun => ({
  profile: randomProfile(1),
  samples: [],
  sources: new Map(),
  keeping: NOTHING_KEPT,
  heaps: [],
  problems: [],
  ...changes,
});
const policyOf = (html: string) =>
  (/http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? "").replaceAll("&#39;", "'");
const digest = (content: string) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
const text = (run: WholeRun) => [...htmlReport(run, undefined)].join("");

describe("the report", () => {
  it("says what ran, where, when, from which commit, how it ended, and what it took", async () => {
    const html = await reportOf();
    for (const said of [
      "train.py --batch-size 64",
      "NVIDIA Jetson Nano Developer Kit",
      "Simulated board (Jetson Nano)",
      "2026-11-21 09:45:01 UTC",
      "3f2a9c0b1d4e (main), 1 file differed from it",
      "normally, exit status 0",
      "972.0 MiB",
      "1138.0 MiB",
      "JetPack 4.6.1 (L4T 32.7.1)",
      "CUDA context and libraries",
      "net = LeNet().to(&#34;cuda&#34;)",
      "+402.3 MiB",
    ]) {
      expect(html).toContain(said);
    }
  });

  it("has what an inference server says itself beneath its row", async () => {
    const served = {
      p: [[900, "llama-server", 1000, 60 * MIB, 40 * MIB, 20 * MIB, 0, 0, null, null]],
      servers: [[900, "log", [["kv_cache", "<CUDA0>", 1152 * MIB]]]],
    };
    const moments = boardLines("nano", training(40), { simulated: "Jetson Nano" }).map((line) => {
      const moment = JSON.parse(line) as { readonly p?: unknown };
      return moment.p === undefined ? line : JSON.stringify({ ...moment, ...served });
    });
    expect(await reportOf({ "moments.jsonl": `${moments.join("\n")}\n` })).toContain(
      "<small>llama-server: KV cache (&#60;CUDA0&#62;): 1152.0 MiB, as it says itself</small>",
    );
  });

  it("names what is in it by its digest and forbids all else", async () => {
    const html = await reportOf();
    const policy = policyOf(html);
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-/);
    for (const tag of ["style", "script"]) {
      const contents = [...html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "g"))].map(
        ([, inside = ""]) => inside,
      );
      expect(contents.length).toBe(1);
      for (const content of contents) expect(policy).toContain(digest(content));
    }
    expect(html).not.toMatch(/(?:src|href)="(?!#)|url\(|@import|\bon\w+="/i);
  });

  it("lets nothing of a run become markup", async () => {
    const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>'&\u202e\u001b[31m`;
    const html = await reportOf(
      {
        "sources/train.py": `${evil}\n`.repeat(40),
        "label.json": JSON.stringify({ schema: 1, name: evil.slice(0, 60) }),
      },
      {
        command: { python: evil, script: "train.py", args: [evil] },
        exit: { kind: "out-of-memory", signal: "SIGKILL", evidence: evil },
        environment: { [evil]: evil },
        board: { model: evil, l4t: evil, mem_total: 4e9, simulated: evil },
        last_lines: [{ pid: 1, thread: evil, path: evil, line: 1 }],
        warnings: [{ code: "x", message: evil }],
      },
    );
    expect(html).not.toMatch(/<script>alert|<img/);
    for (const sign of ["\u202e", "\u001b"]) expect(html).not.toContain(sign);
    expect(html.match(/<script>/g)).toHaveLength(1);
  });

  it("has massif's flame graph with titles, its own style named in the policy", () => {
    const profile = randomProfile(1);
    const run = { ...profile.run, engine: { name: "massif" as const, exact: false, accelerator: false } };
    const stacks = frameTreeOf(randomTree(5, 400), FACTS);
    const heap: ProcessHeap = {
      pid: 4242,
      label: "main",
      stacks,
      pythonFrames: "lines",
      bytes: stacks.total[0] ?? 0,
      substitute: false,
      withoutLine: 0,
      measured: [],
    };
    const html = text(whole({ profile: { ...profile, run }, heaps: [heap] }));
    expect(html).toContain('class="flame-graph"');
    expect(html).toMatch(/<title>step \(train\.py:7\)\n/);
    const style = /<svg[^>]*class="flame-graph"[\s\S]*?<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? "";
    expect(policyOf(html)).toContain(digest(style));
    expect(html).toContain("Heap at the peak");
    expect(html).toContain("Live: allocated by the line and what it called");
  });

  it("stands without a timeline, a board, a source or a figure", () => {
    const profile = { ...randomProfile(1), files: [], phases: [] };
    const html = text(whole({ profile }));
    expect(html).toContain("No line of the project took memory.");
    expect(html).not.toMatch(/NaN|undefined|Infinity/);
    const html2 = text(whole({}));
    expect(html2).toContain("The source was not kept");
    expect(html2).not.toMatch(/NaN|undefined|Infinity/);
  });

  it("names imported figures by what they measure", () => {
    const profile = randomProfile(1);
    const imported = {
      format: "scalene",
      file: "p.json",
      measures: "live blocks",
      timeline: "Scalene's footprint",
    } as const;
    const samples = [
      { t: 0, rss: 10 },
      { t: 1000, rss: 4096 },
    ];
    const html = text(whole({ profile: { ...profile, run: { ...profile.run, imported } }, samples, rssPeak: 4096 }));
    expect(html).toContain("Figures: live blocks.");
    expect(html).toContain("Peak Scalene&#39;s footprint");
    expect(html).not.toContain("RSS of the main process");
  });

  it("stays small where lines are endless and files many", () => {
    const line = (number: number) => ({ line: number, hits: 1, net: number * 1024, self: 1024 });
    const lines = Array.from({ length: 1000 }, (_, at) => line(at + 1));
    const files = Array.from({ length: 60 }, (_, at) => ({ path: `f${at}.py`, sha256: "", functions: [], lines }));
    const long = `${"<".repeat(2000)}\n`.repeat(1000);
    const sources = new Map(files.map(({ path }) => [path, long]));
    const html = text(whole({ profile: { ...randomProfile(1), files }, sources }));
    expect(html.length).toBeLessThan(3 * 1024 * 1024);
    expect(html).toMatch(/more measured lines are left out, none with more than [\d.]+ (?:MiB|KiB)\./);
    expect(html).toContain("more files there was no room");
  }, 60_000);
});
