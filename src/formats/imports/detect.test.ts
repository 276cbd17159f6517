import { describe, expect, it } from "vitest";
import { detectFormat } from "./detect.ts";
import { bytesOf } from "./testing.ts";

describe("detectFormat", () => {
  it.each([
    ["memory_profiler", "script says hello\n\nFilename: a.py\n\nLine #    Mem usage    Increment   Line Contents\n"],
    ["memory_profiler", "    87 2081.602 MiB1585.188 MiB           1   net = net.to(device)\n"],
    ["memory_profiler", "    87 2 081,602 MiB 1\u00a0585,188 MiB           1   net = net.to(device)\n"],
    ["mprof", "CMDLINE python a.py\nMEM 1.425781 1795327258.8238\n"],
    ["mprof", "MEM 1,425781 1795327258,8238\r\n"],
    ["massif", "desc: --threshold=0.1\ncmd: ./a\ntime_unit: i\n#-----------\nsnapshot=0\n"],
    ["scalene", '{\n    "alloc_samples": 91,\n    "args": [],\n'],
    ["memray", '{\n  "total_num_allocations": 5,\n  "top_allocations_by_size": []\n}'],
    ["memray", "allocator,num_allocations,size,tid,thread_name,stack_trace\nMALLOC,1,2,1,0x1,f;a.py;3\n"],
    ["memray", "<!DOCTYPE html>\n<html>\n<head>\n  <title>memray - table report</title>\n"],
    ["tegrastats", "Tue Jan 26 18:22:31 UTC 2021\nRAM 896/7859MB (lfb 26x4MB) SWAP 0/3929MB (cached 0MB)\n"],
    ["tegrastats", "05-15-2023 14:21:30 RAM 2448/7620MB (lfb 4x4MB) CPU [1%@729]\n"],
    ["jetson-memprof", '{\n  "schema": 1,\n  "run": {\n    "id": "x"\n'],
    ["jetson-memprof", "file,line,hits,net_bytes\n"],
    [undefined, "hello\n"],
    [undefined, ""],
    [undefined, '{"a": 1}'],
    [undefined, "<html><title>news</title>"],
  ])("says %s by what a file holds", (format, text) => {
    expect(detectFormat(bytesOf(text))).toBe(format);
    expect(detectFormat(Buffer.from(`\uFEFF${text}`, "utf16le"))).toBe(format);
  });

  it("knows a dumped snapshot by the class that it begins with, and no other pickle", () => {
    const begin = (name: string) => bytesOf(`\u0004\u0095...\u008c\u000b${name}\u0094\u008c\u0008Snapshot\u0094`);
    expect(detectFormat(Uint8Array.of(0x80, ...begin("tracemalloc")))).toBe("tracemalloc");
    expect(detectFormat(Uint8Array.of(0x80, ...begin("os")))).toBeUndefined();
  });
});
