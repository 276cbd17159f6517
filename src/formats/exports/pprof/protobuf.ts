/** The part of Protocol Buffers' wire format that a profile needs: https://protobuf.dev/programming-guides/encoding */

const VARINT = 0;
const LENGTH_DELIMITED = 2;

export interface ProtobufWriter {
  /** An int64, uint64 or bool field; 0, which is the default, is not written. */
  integer(field: number, value: number | bigint): void;
  text(field: number, value: string): void;
  /** A repeated integer field, packed. */
  packed(field: number, values: readonly number[]): void;
  message(field: number, write: (inner: ProtobufWriter) => void): void;
  bytes(): Uint8Array;
}

export function createProtobufWriter(): ProtobufWriter {
  const sink = createSink();
  const block = (field: number, content: Uint8Array): void => {
    sink.varint(field * 8 + LENGTH_DELIMITED);
    sink.varint(content.length);
    sink.append(content);
  };
  return {
    integer(field, value) {
      if (value === 0 || value === 0n) return;
      sink.varint(field * 8 + VARINT);
      sink.varint(value);
    },
    text: (field, value) => block(field, new TextEncoder().encode(value)),
    packed(field, values) {
      const inner = createSink();
      for (const value of values) inner.varint(value);
      block(field, inner.bytes());
    },
    message(field, write) {
      const inner = createProtobufWriter();
      write(inner);
      block(field, inner.bytes());
    },
    bytes: sink.bytes,
  };
}

/** Bytes that grow. */
function createSink() {
  let buffer = new Uint8Array(64);
  let length = 0;

  function room(count: number): void {
    if (length + count <= buffer.length) return;
    const larger = new Uint8Array(Math.max(2 * buffer.length, length + count));
    larger.set(buffer.subarray(0, length));
    buffer = larger;
  }

  return {
    varint(value: number | bigint): void {
      room(10);
      if (typeof value === "number" && value >= 0 && value < 0x8000_0000) {
        let rest = value;
        for (; rest > 0x7f; rest >>>= 7) buffer[length++] = (rest & 0x7f) | 0x80;
        buffer[length++] = rest;
        return;
      }
      // Negative numbers are written as 64 bits, in two's complement.
      let rest = BigInt.asUintN(64, BigInt(value));
      for (; rest > 0x7fn; rest >>= 7n) buffer[length++] = Number(rest & 0x7fn) | 0x80;
      buffer[length++] = Number(rest);
    },
    append(content: Uint8Array): void {
      room(content.length);
      buffer.set(content, length);
      length += content.length;
    },
    bytes: () => buffer.subarray(0, length),
  };
}
