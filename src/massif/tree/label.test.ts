import { describe, expect, it } from "vitest";
import { parseLabel } from "./label.ts";

describe("parseLabel", () => {
  it.each([
    ["(heap allocation functions) malloc/new/new[], --alloc-fns, etc.", { kind: "all" }],
    ["(page allocation syscalls) mmap/mremap/brk, --alloc-fns, etc.", { kind: "all" }],
    ["in 12 places, all below massif's threshold (1.00%)", { kind: "below-threshold", places: 12, percent: 1 }],
    ["in 1 place, below massif's threshold (01.00%)", { kind: "below-threshold", places: 1, percent: 1 }],
    ["in 4 places, all below massif's threshold", { kind: "below-threshold", places: 4 }],
    ["0xFFFFFFFFFFFFFFFF: ???", { kind: "native" }],
    ["0x0: ???", { kind: "native", address: 0n }],
    ["not in the file: the tree is damaged", { kind: "native", function: "not in the file: the tree is damaged" }],
  ])("%s", (label, expected) => {
    expect(parseLabel(label)).toEqual(expected);
  });

  it.each([
    ["PyByteArray_Resize (bytearrayobject.c:250)", "PyByteArray_Resize", "bytearrayobject.c:250", undefined],
    ["??? (in /usr/lib/libcudart.so.10.2.300)", undefined, undefined, "/usr/lib/libcudart.so.10.2.300"],
    ["(below main) (libc-start.c:226)", "(below main)", "libc-start.c:226", undefined],
    ["(below main)", "(below main)", undefined, undefined],
    [
      "QString::realloc(int) (in /usr/lib/libQtCore.so.4.5.2)",
      "QString::realloc(int)",
      undefined,
      "/usr/lib/libQtCore.so.4.5.2",
    ],
    ["a::b(c<d (e)>, f) const (x y.cpp:12)", "a::b(c<d (e)>, f) const", "x y.cpp:12", undefined],
    ["f (in /opt/with (blanks) and (more)/lib.so)", "f", undefined, "/opt/with (blanks) and (more)/lib.so"],
    ["operator()(int) const", "operator()(int) const", undefined, undefined],
    [
      "main::{lambda(int (*)(int))#1}::operator() (m.cpp:7)",
      "main::{lambda(int (*)(int))#1}::operator()",
      "m.cpp:7",
      undefined,
    ],
    ["f (int)", "f (int)", undefined, undefined],
    ["unbalanced) (in /lib.so)", "unbalanced)", undefined, "/lib.so"],
    ["unbalanced (in /lib).so)", "unbalanced (in /lib).so)", undefined, undefined],
    ["", undefined, undefined, undefined],
  ])("0x1A: %s", (code, name, source, library) => {
    expect(parseLabel(`0x1A: ${code}`)).toEqual({
      kind: "native",
      address: 26n,
      ...(name === undefined ? {} : { function: name }),
      ...(source === undefined ? {} : { source }),
      ...(library === undefined ? {} : { library }),
    });
  });

  it("takes any text in linear time", () => {
    for (const text of ["(".repeat(1e6), ")".repeat(1e6), " (in ".repeat(2e5), `in ${"9".repeat(1e6)} places`]) {
      for (const label of [text, `0x1: ${text}`, `0x1: ${text})`]) expect(parseLabel(label).kind).toBe("native");
    }
  });
});
