import { describe, expect, it } from "vitest";
import { MIB } from "../../testing.ts";
import { advisedBy, FULL, JETSONS, ROOMY, type TestRun } from "../testing.ts";
import { allocatorOptions, allocatorStep } from "./allocatorOptions.ts";

const message =
  "CUDA out of memory. Tried to allocate 50.00 MiB (GPU 0; 3.87 GiB total capacity; 1.00 GiB already allocated; 20.50 " +
  "MiB free; 1.50 GiB reserved in total by PyTorch)";
const from21 =
  "CUDA out of memory. Tried to allocate 50.00 MiB. GPU 0 has a total capacity of 7.44 GiB of which 20.50 MiB is free. " +
  "Of the allocated memory 1.00 GiB is allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but unallocated.";
const held = (run: TestRun) =>
  advisedBy("reserved-not-allocated", { ended: "cuda-out-of-memory", report: { message }, ...run });

describe("memory that PyTorch reserved and does not use", () => {
  it("is told by PyTorch's own figures, in both wordings, with what it could save at most", () => {
    const expected = {
      evidence: ["When it ran out of memory: 1536.0 MiB reserved, 1024.0 MiB in tensors, 512.0 MiB unused"],
      saves: { bytes: 512 * MIB },
      strength: "certain",
    };
    expect(held({})).toMatchObject(expected);
    expect(held({ report: { message: from21 } })).toMatchObject(expected);
  });

  it("is told by what was recorded, where memory was short", () => {
    const cuda = { allocated: 500, reserved: 1000, context: 300 };
    const loads = [{ t: 9, run: { anon: 16_000, file: 9, shmem: 0 }, cuda }];
    expect(advisedBy("reserved-not-allocated", { loads, ended: "kernel-out-of-memory" })).toMatchObject({
      evidence: ["At the last record of it: 1000.0 MiB reserved, 500.0 MiB in tensors, 500.0 MiB unused"],
    });
    expect(
      advisedBy("reserved-not-allocated", { loads: [{ ...loads[0], run: { anon: 3, file: 9, shmem: 0 } }] }),
    ).toBeUndefined();
  });

  it("is nothing to tell where it is little", () => {
    expect(advisedBy("reserved-not-allocated", { ended: "cuda-out-of-memory", loads: FULL })).toBeUndefined();
    expect(held({ report: { message: message.replace("1.50 GiB reserved", "1.10 GiB reserved") } })).toBeUndefined();
    expect(held({ report: {}, loads: ROOMY })).toBeUndefined();
  });

  it.each(JETSONS)("is split less on %s, and never by segments that can grow", (release) => {
    expect(held({ release })?.steps).toMatchObject([
      { name: "PYTORCH_CUDA_ALLOC_CONF", value: "max_split_size_mb:128" },
    ]);
  });

  it("has no step for a PyTorch below 1.10, or one that is not known", () => {
    expect(held({ versions: { torch: "1.9.0", cuda: "10.2" } })?.steps).toEqual([]);
    expect(held({ versions: {} })?.steps).toEqual([]);
    expect(held({ versions: { torch: "1.10.0" } })?.steps).toHaveLength(1);
  });

  it("may grow on a PC with PyTorch 2.1 or later, and keeps options that are set", () => {
    const environment = { PYTORCH_CUDA_ALLOC_CONF: "garbage_collection_threshold:0.8" };
    const value = (run: TestRun) => held({ environment, ...run })?.steps[0];
    expect(value({ release: "PC" })).toMatchObject({
      value: "garbage_collection_threshold:0.8,expandable_segments:True",
    });
    expect(value({ release: "PC", versions: { torch: "2.0.1" } })).toMatchObject({
      value: "garbage_collection_threshold:0.8,max_split_size_mb:128",
    });
    expect(held({ environment: { PYTORCH_CUDA_ALLOC_CONF: "max_split_size_mb:64" } })?.steps).toEqual([]);
  });
});

describe("the allocator's options", () => {
  it("are read and set under the name that the environment has, whatever they look like", () => {
    expect([...allocatorOptions({ PYTORCH_ALLOC_CONF: " a:1, b ,,c:[x:y]" })]).toEqual([
      ["a", "1"],
      ["b", ""],
      ["c", "[x:y]"],
    ]);
    expect(allocatorStep({ PYTORCH_ALLOC_CONF: "a:1" }, [["a", "2"]])).toMatchObject({
      name: "PYTORCH_ALLOC_CONF",
      value: "a:2",
    });
  });
});
