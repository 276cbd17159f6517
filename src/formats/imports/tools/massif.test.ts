import { describe, expect, it } from "vitest";
import { UserError } from "../../../profile/userError.ts";
import { bytesOf, contextOf } from "../testing.ts";
import { importMassif } from "./massif.ts";

const FILE = `desc: --threshold=0.5 --pages-as-heap=yes
cmd: /usr/bin/python3 train.py
time_unit: ms
#-----------
snapshot=0
#-----------
time=0
mem_heap_B=0
mem_heap_extra_B=0
mem_stacks_B=0
heap_tree=empty
#-----------
snapshot=1
#-----------
time=120
mem_heap_B=4096
mem_heap_extra_B=8
mem_stacks_B=0
heap_tree=empty
`;

describe("importMassif", () => {
  it("keeps the file as it is, under its process's number, with the settings it was made with", () => {
    const { profile, verbatim } = importMassif(bytesOf(FILE), contextOf("kde.massif.out.32406"));
    expect([...verbatim.keys()]).toEqual(["massif.out.32406"]);
    expect(new TextDecoder().decode(verbatim.get("massif.out.32406"))).toBe(FILE);
    expect(profile.run).toMatchObject({
      engine: { name: "massif", massif: { threshold: 0.5, depth: 30, pagesAsHeap: true } },
      command: { python: "/usr/bin/python3", script: "train.py" },
      elapsedMs: 120,
      processes: [{ pid: 32406, implementation: "massif-plain" }],
      imported: { measures: "mapped pages, as massif counts them" },
    });
  });

  it("says what could not be read of a half-written file", () => {
    const { notes } = importMassif(bytesOf(FILE.slice(0, -40)), contextOf("massif.out.7"));
    expect(notes.join("\n")).toMatch(/Line \d+ of the file/);
  });

  it("refuses what is no massif file", () => {
    expect(() => importMassif(bytesOf("hello"), contextOf("a"))).toThrow(UserError);
  });
});
