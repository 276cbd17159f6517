import { expect, it } from "vitest";
import { createProtobufWriter } from "./protobuf.ts";

const bytes = (write: (writer: ReturnType<typeof createProtobufWriter>) => void): string => {
  const writer = createProtobufWriter();
  write(writer);
  return Buffer.from(writer.bytes()).toString("hex");
};

it("writes integers as varints, negative ones as 64 bits, and no zeros", () => {
  // The first one is the example of the encoding's own documentation.
  expect(bytes((w) => w.integer(1, 150))).toBe("089601");
  expect(bytes((w) => w.integer(1, -2))).toBe("08feffffffffffffffff01");
  expect(bytes((w) => w.integer(2, 2 ** 40))).toBe("10808080808020");
  expect(bytes((w) => w.integer(2, 0x8000_0000))).toBe("108080808008");
  expect(bytes((w) => w.integer(2, 9_007_199_254_740_993n))).toBe("108180808080808010");
  expect(bytes((w) => w.integer(3, 0))).toBe("");
});

it("writes texts, packed numbers and messages with their lengths, however long they are", () => {
  expect(bytes((w) => w.text(2, "testing"))).toBe("120774657374696e67");
  expect(bytes((w) => w.text(2, "ä"))).toBe("1202c3a4");
  expect(bytes((w) => w.packed(6, [3, 270, 86942]))).toBe("3206038e029ea705");
  expect(bytes((w) => w.message(3, (inner) => inner.integer(1, 150)))).toBe("1a03089601");
  expect(bytes((w) => w.text(1, "x".repeat(1000))).length).toBe(2 * (1 + 2 + 1000));
});
