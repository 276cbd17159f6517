import { expect, it } from "vitest";
import type { Frame } from "../model.ts";
import { frameKey, fullName, shortName } from "./frameNames.ts";

const native = (parts: { function?: string; source?: string; library?: string }): Frame => ({
  kind: "native",
  interpreter: false,
  ...parts,
});

it.each<[Frame, string, string]>([
  [{ kind: "all" }, "all", "all"],
  [
    { kind: "python", path: "models/net.py", line: 4, function: "Net.forward", exact: true },
    "Net.forward (models/net.py:4)",
    "net.py:4 Net.forward",
  ],
  [
    { kind: "python", path: "net.py", line: 4, function: "forward", exact: false },
    "forward (net.py)",
    "net.py forward",
  ],
  [{ kind: "below-threshold", places: 1 }, "below threshold (1 place)", "below threshold (1 place)"],
  [{ kind: "below-threshold", places: 12 }, "below threshold (12 places)", "below threshold (12 places)"],
  [{ kind: "below-threshold", places: 104649 }, "below threshold (104,649 places)", "below threshold (104,649 places)"],
  [native({}), "[unknown]", "[unknown]"],
  [native({ library: "/usr/lib/libcudart.so.10.2.300" }), "[libcudart.so.10.2.300]", "[libcudart.so.10.2.300]"],
  [native({ function: "malloc", source: "malloc.c:3" }), "malloc (malloc.c:3)", "malloc (malloc.c:3)"],
  [native({ function: "f", library: "/a/libb.so" }), "f (libb.so)", "f (libb.so)"],
  [native({ function: "evil\u001b\n[2J" }), "evil??[2J", "evil??[2J"],
])("%j is named", (frame, full, short) => {
  expect(fullName(frame)).toBe(full);
  expect(shortName(frame)).toBe(short);
});

it.each([
  ["at::empty<int>(long, std::vector<long, A<B>>) const", "at::empty"],
  ["std::vector<int, std::allocator<int>>::_M_insert(int)", "std::vector::_M_insert"],
  ["(anonymous namespace)::run(int)", "(anonymous namespace)::run"],
  ["c10::(anonymous namespace)::alloc(unsigned long)", "c10::(anonymous namespace)::alloc"],
  ["(below main)", "(below main)"],
  ["operator new(unsigned long)", "operator new"],
  ["Foo::operator()(int) const", "Foo::operator()"],
  ["bool operator< <int>(A<int> const&)", "bool operator<"],
  ["std::ostream& operator<< <char>(std::ostream&)", "std::ostream& operator<<"],
  ["Foo::operator->() const", "Foo::operator->"],
  ["cooperator<int>()", "cooperator"],
  ["f(int)::{lambda(A<int>)#1}::operator()(A<int>) const", "f::{lambda#1}::operator()"],
  ["f(int) const::{lambda()#2}::operator()() const", "f const::{lambda#2}::operator()"],
  ["broken<int", "broken"],
  ["<lambda>", "<lambda>"],
  ["PyList_New", "PyList_New"],
])("%s is %s for short", (name, short) => {
  expect(shortName(native({ function: name }))).toBe(short);
});

it("takes frames for equal that look alike but for the number of places", () => {
  expect(frameKey(native({ function: "f" }))).not.toBe(frameKey(native({ source: "f" })));
  expect(frameKey({ kind: "below-threshold", places: 1 })).toBe(frameKey({ kind: "below-threshold", places: 2 }));
  expect(frameKey({ kind: "python", path: "a", line: 1, function: "f", exact: true })).not.toBe(
    frameKey({ kind: "python", path: "a", line: 1, function: "f", exact: false }),
  );
});
