import { describe, expect, it } from "vitest";
import { bytesOf, contextOf } from "../testing.ts";
import { importMemray } from "./memray.ts";

const SOURCES = { "train.py": "a\nb\nc\nd\n", "lib/net.py": "a\n" };
const read = (text: string) => importMemray(bytesOf(text), contextOf("report", SOURCES));

const record = (size: number, stack_trace: string) => ({
  allocator: "malloc",
  n_allocations: 1,
  size,
  stack_trace,
  tid: "0x1",
});
const table = (records: unknown, title = "memray - table report") => `<!DOCTYPE html>
<html><head><title>${title}</title></head><body><script type="text/javascript">
    const packed_data = ${JSON.stringify(records)};
    const merge_threads = true;
    const memory_records = [[1795327256158,45236224,0],[1795327256258,50000000,21012925]];
</script></body></html>
`;

describe("a table of memray", () => {
  it("gives lines what they hold at the peak by themselves, and the timeline the process's RSS", () => {
    const { profile, samples } = read(
      table([
        record(100, "main at /home/nano/train.py:3"),
        record(50, "main at /home/nano/train.py:3"),
        record(7, "&lt;listcomp&gt; at /home/nano/lib/net.py:1"),
        record(9, "f at /usr/lib/python3.8/os.py:1"),
        record(9, "???"),
        { size: "no" },
      ]),
    );
    expect(profile.files).toMatchObject([
      { path: "train.py", lines: [{ line: 3, self: 150 }] },
      { path: "lib/net.py", lines: [{ line: 1, self: 7 }] },
    ]);
    expect(profile.files[0]?.lines[0]).not.toHaveProperty("net");
    expect(samples.map(({ t, rss }) => [t, rss])).toEqual([
      [0, 45236224],
      [100, 50000000],
    ]);
    expect(profile.run.imported).toEqual({
      format: "memray",
      file: "report",
      measures: "blocks that were live at the program's peak, as memray counts them",
    });
    expect(profile.run.started).toBe("2026-11-22T06:00:56.158Z");
  });

  it("says where it holds other blocks than those of the peak", () => {
    const leaks = read(table([record(1, "main at train.py:1")], "memray - table report (memory leaks)"));
    expect(leaks.profile.run.imported?.measures).toMatch(/never freed/);
  });

  it("refuses a flame graph, which has no such records", () => {
    expect(() => read(table({ nodes: {} }))).toThrow(/memray table/);
    expect(() => read("<html><title>memray</title></html>")).toThrow(/packed_data/);
  });
});

describe("memray's csv", () => {
  const csv = (...rows: string[]) => `allocator,num_allocations,size,tid,thread_name,stack_trace\n${rows.join("")}`;

  it("gives each of the project's lines of a stack its blocks once, and the innermost its own", () => {
    const { profile, notes } = read(
      csv(
        "MALLOC,1,100,1,0x1,load;/usr/lib/python3.8/pickle.py;9|g;/home/nano/train.py;4|g;/home/nano/train.py;4|main;/home/nano/train.py;1\n",
        'MMAP,2,30,1,0x1,"main;/home/nano/train.py;1"\n',
        "nonsense\n",
        "MALLOC,1,55,1,0x1,main;/home/nano/tr",
      ),
    );
    expect(profile.files[0]?.lines).toEqual([
      { line: 1, net: 130, self: 30 },
      { line: 4, net: 100, self: 100 },
    ]);
    expect(notes.slice(0, 2)).toEqual([
      "1 record could not be read and was left out.",
      "The file ends in the middle of a row, which was left out.",
    ]);
  });

  it("says what it looked for in an empty one", () => {
    expect(() => read(csv())).toThrow(/MALLOC,1,1340/);
  });
});

describe("memray stats --json", () => {
  it("gives lines what they allocated in all, and the run its peak", () => {
    const { profile, samples } = read(
      JSON.stringify({
        total_bytes_allocated: 300,
        top_allocations_by_size: [
          { location: "main:/home/nano/train.py:2", size: 200 },
          { location: "_find:<frozen runpy>:259", size: 77 },
        ],
        metadata: {
          start_time: "2026-11-22 06:00:56.158000+00:00",
          end_time: "2026-11-22 06:00:57.158000+00:00",
          peak_memory: 99,
          command_line: "/v/memray/__main__.py run -q -f -o m.bin train.py --epochs 2",
        },
      }),
    );
    expect(profile.files).toMatchObject([{ path: "train.py", lines: [{ line: 2, self: 200 }] }]);
    expect(samples).toEqual([{ t: 0, rssPeak: 99 }]);
    expect(profile.run).toMatchObject({
      elapsedMs: 1000,
      command: { script: "train.py", args: ["--epochs", "2"] },
      imported: { timeline: "heap in use, as memray counts it" },
    });
    expect(profile.run.imported?.measures).toMatch(/all that was allocated/);
  });

  it("refuses other JSON in words", () => {
    expect(() => read('{"top_allocations_by_size": 3}')).toThrow(/memray stats/);
  });
});
