import { Session } from "node:inspector/promises";
import { describe, expect, it } from "vitest";
import { difference } from "../difference.ts";
import type { Frame, FrameTree } from "../model.ts";
import { frameTreeOf, viewOf } from "../tree/frameTree.ts";
import { stackOf } from "../tree/treeShape.ts";
import { at, FACTS, randomTree } from "../tree/treeTesting.ts";
import { folded } from "./folded.ts";
import { heapProfile } from "./heapprofile.ts";
import { speedscope } from "./speedscope.ts";
import { flameGraphSvg } from "./svg.ts";

const view = { direction: "callers-first", allFrames: false } as const;
const tree = (seed: number) => viewOf(frameTreeOf(randomTree(seed, 250), FACTS), view);
const text = (pieces: Iterable<string>) => [...pieces].join("");

/** A root with one frame of this kind. */
function single(frame: Frame, bytes: number, unknown = 0): FrameTree {
  return {
    frames: [{ kind: "all" }, frame],
    frame: Uint32Array.of(0, 1),
    parent: Uint32Array.of(0, 0),
    self: Float64Array.of(unknown, bytes),
    total: Float64Array.of(unknown + bytes, bytes),
  };
}

const hostile: Frame = {
  kind: "python",
  path: 'a"b;c</script>\u001b.py',
  line: 3,
  function: "</title><script>alert('x')&\ud800;\n",
  exact: true,
};

function deep(length: number): FrameTree {
  return {
    frames: [{ kind: "all" }, { kind: "native", function: "f", interpreter: false }],
    frame: Uint32Array.from({ length }, (_, node) => Math.min(node, 1)),
    parent: Uint32Array.from({ length }, (_, node) => Math.max(0, node - 1)),
    self: Float64Array.from({ length }, (_, node) => (node === length - 1 ? 7 : 0)),
    total: new Float64Array(length).fill(7),
  };
}

describe("folded stacks", () => {
  it("add up to the tree's total", () => {
    for (let seed = 0; seed < 30; seed++) {
      const subject = tree(seed);
      const figures = text(folded(subject))
        .trimEnd()
        .split("\n")
        .map((line) => Number(/ (\d+)$/.exec(line)?.[1]));
      expect(figures.reduce((sum, bytes) => sum + bytes, 0)).toBe(subject.total[0]);
    }
  });

  it("are one line each, whatever the names", () => {
    expect(text(folded(single(hostile, 5, 2)))).toBe(
      "[unknown] 2\n</title><script>alert('x')&\ud800,? (a\"b,c</script>?.py:3) 5\n",
    );
  });
});

interface Event {
  type: "O" | "C";
  frame: number;
  at: number;
}

/** Own bytes by stack, as speedscope reads them; throws where the events do not nest. */
function ownByStack(events: readonly Event[]): Map<string, number> {
  const sums = new Map<string, number>();
  const open: number[] = [];
  let last = 0;
  for (const { type, frame, at } of events) {
    expect(at).toBeGreaterThanOrEqual(last);
    if (at > last) sums.set(open.join(), (sums.get(open.join()) ?? 0) + at - last);
    last = at;
    if (type === "O") open.push(frame);
    else expect(open.pop()).toBe(frame);
  }
  expect(open).toEqual([]);
  return sums;
}

describe("the speedscope file", () => {
  it("has every stack with its bytes, in the order that the format asks for", () => {
    for (let seed = 0; seed < 30; seed++) {
      const subject = tree(seed);
      const file = JSON.parse(text(speedscope(subject, { name: "run" })));
      const [profile] = file.profiles;
      expect(file).toMatchObject({ $schema: "https://www.speedscope.app/file-format-schema.json", name: "run" });
      expect(profile).toMatchObject({ type: "evented", unit: "bytes", startValue: 0, endValue: subject.total[0] });
      const expected = [...subject.self.entries()]
        .filter(([, bytes]) => bytes > 0)
        .map(
          ([node, bytes]) =>
            [
              stackOf(subject, node)
                .map((step) => subject.frame[step])
                .join(),
              bytes,
            ] as const,
        );
      expect(ownByStack(profile.events)).toEqual(new Map(expected));
      for (const frame of file.shared.frames) expect(typeof frame.name).toBe("string");
    }
  });

  it("has bytes without a stack, files and lines", () => {
    const file = JSON.parse(text(speedscope(single(hostile, 5, 2), { name: 'a"b' })));
    expect(file.shared.frames[1]).toMatchObject({ file: 'a"b;c</script>\u001b.py', line: 3 });
    expect(file.shared.frames[2]).toEqual({ name: "[unknown]" });
    expect(ownByStack(file.profiles[0].events)).toEqual(
      new Map([
        ["1", 5],
        ["2", 2],
      ]),
    );
  });

  it("is written without recursion", () => {
    expect(text(speedscope(deep(100_000), { name: "deep" }))).toContain('"endValue":7,');
  });
});

interface HeapNode {
  callFrame: { functionName: string; url: string; lineNumber: number };
  selfSize: number;
  id: number;
  children: HeapNode[];
}

describe("the .heapprofile", () => {
  it("has the tree, with V8's fields", () => {
    for (let seed = 0; seed < 30; seed++) {
      const subject = tree(seed);
      const { head } = JSON.parse(text(heapProfile(subject))) as { head: HeapNode };
      let node = 0;
      const visit = (found: HeapNode, parent: number) => {
        const here = node++;
        expect(found).toMatchObject({ id: here + 1, selfSize: subject.self[here] });
        expect(subject.parent[here]).toBe(parent);
        for (const child of found.children) visit(child, here);
      };
      visit(head, 0);
      expect(node).toBe(subject.frame.length);
    }
  });

  it("has the fields that V8 writes itself", async () => {
    const session = new Session();
    session.connect();
    await session.post("HeapProfiler.startSampling", { samplingInterval: 64 });
    const kept = Array.from({ length: 1000 }, (_, index) => ({ index }));
    const { profile } = await session.post("HeapProfiler.stopSampling");
    session.disconnect();
    expect(kept.length).toBe(1000);
    const shape = (node: object) =>
      Object.entries(node)
        .map(([key, value]) => `${key} ${typeof value}`)
        .sort();
    const ours = JSON.parse(text(heapProfile(single(hostile, 5))));
    expect(shape(ours)).toEqual(shape(profile));
    expect(shape(ours.head)).toEqual(shape(profile.head));
    expect(shape(ours.head.callFrame)).toEqual(shape(profile.head.callFrame));
    expect(shape(ours.head.children[0].callFrame)).toEqual(shape(profile.head.callFrame));
  });

  it("counts lines from 0", () => {
    const { head } = JSON.parse(text(heapProfile(single(hostile, 5, 2)))) as { head: HeapNode };
    expect(head.callFrame).toMatchObject({ functionName: "(root)", lineNumber: -1 });
    expect(head.children[0]?.callFrame).toMatchObject({ url: 'a"b;c</script>\u001b.py', lineNumber: 2 });
  });

  it("is written without recursion", () => {
    expect(text(heapProfile(deep(100_000)))).toMatch(
      /"selfSize":7,"id":100000,"children":\[\](?:\}\])+\},"samples":\[\]\}\n$/,
    );
  });
});

describe("the SVG", () => {
  it("names the total, and shows each frame that is wide enough as wide as its bytes", () => {
    for (let seed = 0; seed < 10; seed++) {
      const subject = tree(seed);
      const all = at(subject.total, 0);
      const picture = text(flameGraphSvg(subject, { title: "train.py, peak" }));
      const widths = [...picture.matchAll(/<g>.*?<rect class="[a-z-]+" x="[\d.]+" y="\d+" width="([\d.]+)"/gs)].map(
        (found) => Number(found[1]),
      );
      const expected = [...subject.total].map((bytes) => (1200 * bytes) / all).filter((width) => width >= 0.25);
      expect(widths.length).toBe(expected.length);
      widths.sort((a, b) => b - a);
      expected.sort((a, b) => b - a);
      for (const [index, width] of widths.entries()) expect(width).toBeCloseTo(at(expected, index), 1);
      expect(picture).toContain("all\n");
    }
  });

  it("holds no markup but its own", () => {
    const picture = text(flameGraphSvg(single(hostile, 5), { title: "<b>\n&" }));
    expect(picture).not.toMatch(/<script|<\/title><s|<b>|\p{Cs}|(?!\n)\p{Cc}/u);
    expect(
      picture
        .match(/<\/?[a-z]+/g)
        ?.every((tag) => /^<\/?(?:svg|title|style|defs|pattern|rect|path|circle|text|g)$/.test(tag)),
    ).toBe(true);
    expect(picture).toContain("&#60;/title&#62;&#60;script&#62;");
  });

  it("of a difference tells what grew and what shrank", () => {
    const frames = [{ kind: "native", function: "f", interpreter: false }] as const;
    const picture = text(
      flameGraphSvg(difference(single(frames[0], 3 << 20), single(frames[0], 1 << 20)), { title: "change" }),
    );
    expect(picture).toContain("change: -2.0 MiB");
    expect(picture).toContain("-2.0 MiB: 3.0 MiB (3,145,728 bytes) before, 1.0 MiB (1,048,576 bytes) after");
    expect(picture).toContain('<rect class="shrunk"');
  });

  it("is a picture even where there is nothing", () => {
    const empty = single({ kind: "all" }, 0);
    expect(text(flameGraphSvg(empty, { title: "nothing" }))).toMatch(/^<svg [^>]*height="\d+">[\s\S]*<\/svg>\n$/);
  });
});
