import { expect, it } from "vitest";
import { growingBytes } from "./growingBytes.ts";

it("gathers pieces of any size in their order, and begins anew when they were taken", () => {
  const gathered = growingBytes();
  expect(gathered.take()).toEqual(Buffer.alloc(0));
  const pieces = [Buffer.from("a"), Buffer.alloc(0), Buffer.alloc(3_000, "b"), Buffer.from("c")];
  for (const piece of pieces) gathered.add(piece);
  expect(gathered.length).toBe(3_002);
  expect(gathered.view()).toEqual(Buffer.concat(pieces));
  const taken = gathered.take();
  gathered.add(Buffer.from("next"));
  expect(taken).toEqual(Buffer.concat(pieces));
  expect(gathered.view().toString()).toBe("next");
});

it("keeps no more than twice what came, however small the pieces were", () => {
  const before = process.memoryUsage();
  const gathered = growingBytes();
  const piece = Buffer.from("x");
  for (let count = 0; count < 4_000_000; count++) gathered.add(piece);
  const after = process.memoryUsage();
  expect(gathered.length).toBe(4_000_000);
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(16e6);
});
