import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readMassif, readTreeOf, SAMPLES, sample, sampleFile } from "../reader/testing.ts";
import { openMassif } from "./massifSource.ts";
import { measuredTreeFile, readSidecars } from "./sidecars.ts";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "massif-source-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const HEADER = "desc: (none)\ncmd: ./a.out\ntime_unit: i\n";
const snapshot = (time: number, heap: number, frame: string) =>
  `#-----------\nsnapshot=0\n#-----------\ntime=${time}\nmem_heap_B=${heap}\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=detailed\nn1: ${heap} (heap allocation functions) malloc\n n0: ${heap} 0x1: ${frame}\n`;

describe("openMassif", () => {
  it("reads what the reader reads", async () => {
    for (const name of SAMPLES) {
      const source = await openMassif(sampleFile(name));
      const file = readMassif(sample(name));
      expect(source.file).toEqual(file);
      for (const [index, { tree }] of file.snapshots.entries()) {
        if (tree.kind === "none") await expect(source.tree(index)).rejects.toMatchObject({ code: "massif-no-tree" });
        else expect(await source.tree(index)).toEqual(readTreeOf(sample(name), file, index));
      }
    }
  });

  it("reads a file larger than a chunk", async () => {
    const file = path.join(folder, "massif.out.1");
    const frames = Array.from({ length: 60 }, (_, number) => `f${number}${"x".repeat(60_000)} (a.c:1)`);
    fs.writeFileSync(file, HEADER + frames.map((frame, time) => snapshot(time, 10, frame)).join(""));
    const source = await openMassif(file);
    expect(source.file.problems).toEqual([]);
    expect(source.file.snapshots).toHaveLength(60);
    expect((await source.tree(59)).labels[1]).toBe(`0x1: ${frames[59]}`);
  });

  it("finds a snapshot again in a file that was replaced, and says when it is gone", async () => {
    const file = path.join(folder, "massif.out.1");
    fs.writeFileSync(file, HEADER + snapshot(1, 10, "first") + snapshot(2, 20, "second"));
    const source = await openMassif(file);
    fs.writeFileSync(`${file}.part`, HEADER + snapshot(2, 20, "second") + snapshot(3, 30, "a longer name"));
    fs.renameSync(`${file}.part`, file);

    expect((await source.tree(1)).labels[1]).toBe("0x1: second");
    await expect(source.tree(0)).rejects.toMatchObject({ code: "massif-changed" });
    expect((await source.tree(1)).labels[1]).toBe("0x1: second");
    expect(source.file.snapshots).toHaveLength(2);
    expect((await (await openMassif(file)).tree(1)).labels[1]).toBe("0x1: a longer name");

    fs.rmSync(file);
    await expect(source.tree(1)).rejects.toMatchObject({ code: "massif-unreadable" });
  });

  it("refuses what is no plain file, without waiting for it", async () => {
    const pipe = path.join(folder, "massif.out.2");
    execFileSync("mkfifo", [pipe]);
    for (const file of [folder, pipe, path.join(folder, "absent")]) {
      await expect(openMassif(file)).rejects.toMatchObject({ code: "massif-unreadable" });
    }
    fs.writeFileSync(path.join(folder, "empty"), "");
    await expect(openMassif(path.join(folder, "empty"))).rejects.toMatchObject({ code: "massif-empty" });
  });
});

describe("readSidecars", () => {
  it("reads the files of the same process, and takes none for other names", async () => {
    const file = path.join(folder, "massif.out.17");
    expect(await readSidecars(file)).toMatchObject({ frames: { level: "none" }, measured: { lines: [] } });
    fs.writeFileSync(
      path.join(folder, "massif.frames.17.jsonl"),
      '{"schema":1,"record":"header","pid":17,"frames":"functions"}\n{"record":"frame","name":"py_00001","path":"a.py","line":2,"function":"f","kind":"function"}\n',
    );
    fs.writeFileSync(
      path.join(folder, "massif.lines.17.jsonl"),
      '{"schema":1,"record":"header","pid":17,"noise_bytes":9}\n{"record":"line","path":"a.py","line":2,"hits":1,"measured":1,"net":5}\n',
    );
    const { frames, measured } = await readSidecars(file);
    expect(frames.level).toBe("functions");
    expect(frames.python.get("py_00001")?.path).toBe("a.py");
    expect(measured).toMatchObject({ lines: [{ net: 5, noise: 9 }] });
    expect((await readSidecars(path.join(folder, "massif.out.other"))).frames.level).toBe("none");
    expect(measuredTreeFile(file, 7, "before")).toBe(path.join(folder, "massif-lines", "17", "7.before"));
  });

  it("goes on without a file that cannot be read, and says so", async () => {
    fs.mkdirSync(path.join(folder, "massif.frames.17.jsonl"));
    fs.writeFileSync(path.join(folder, "massif.lines.17.jsonl"), '{"schema":99}\n');
    const { frames, measured, problems } = await readSidecars(path.join(folder, "massif.out.17"));
    expect(frames.level).toBe("none");
    expect(measured.lines).toEqual([]);
    expect(problems).toEqual([
      expect.stringMatching(
        /massif\.frames\.17\.jsonl cannot be read: it is a folder\. So no Python line is named in /,
      ),
      expect.stringMatching(
        /^massif\.lines\.17\.jsonl was written in format 99; .* So changes by line are not shown. Update /,
      ),
    ]);
  });
});
