/** Readers with what the fuzzer is there to find. */
import type { FuzzReader, Outcome } from "../reader.ts";

const samples = ["one\ntwo 12\nthree"] as const;
const kept: Uint8Array[] = [];

/** Fails at each input that has a U, so that what is found can be made small. */
function broken(name: string, fail: () => Outcome | Promise<Outcome>): FuzzReader {
  return {
    name,
    short: 500,
    samples,
    read: (input) => (input.includes("U".charCodeAt(0)) ? fail() : "read"),
  };
}

export const readers: readonly FuzzReader[] = [
  broken("throws", () => {
    throw new TypeError("undefined is not a function");
  }),
  broken("throws in the first process alone", () => {
    if (!process.cwd().endsWith("/0")) return "read";
    throw new TypeError("undefined is not a function");
  }),
  broken("hangs", () => {
    for (;;);
  }),
  broken("never answers", () => new Promise(() => {})),
  broken("ends the process", () => process.exit(3)),
  broken("takes memory", () => {
    for (let mib = 0; mib < 200; mib++) kept.push(new Uint8Array(2 ** 20).fill(1));
    return "read";
  }),
  broken("takes all of the heap", () => {
    const list: object[] = [];
    for (;;) list.push(new Array(100_000).fill(list));
  }),
];
