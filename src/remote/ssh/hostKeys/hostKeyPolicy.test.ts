import { describe, expect, it } from "vitest";
import { decideHostKey } from "./hostKeyPolicy.ts";

describe("decideHostKey", () => {
  const decisions = (result: Parameters<typeof decideHostKey>[0], interactive: boolean): readonly string[] =>
    (["yes", "ask", "accept-new", "no"] as const).map((strict) => decideHostKey(result, strict, interactive));

  it("never takes a changed or revoked key, whatever is configured and whoever could be asked", () => {
    for (const interactive of [true, false]) {
      expect(new Set(decisions("changed", interactive))).toEqual(new Set(["refuse-changed"]));
      expect(new Set(decisions("revoked", interactive))).toEqual(new Set(["refuse-revoked"]));
      expect(new Set(decisions("match", interactive))).toEqual(new Set(["accept"]));
    }
  });

  it("takes an unknown key without asking only where accept-new says so; no asks as ask does", () => {
    expect(decisions("unknown", true)).toEqual(["refuse-unknown", "ask", "accept-and-remember", "ask"]);
    expect(decisions("unknown", false)).toEqual([
      "refuse-unknown",
      "refuse-unknown",
      "accept-and-remember",
      "refuse-unknown",
    ]);
  });

  it("takes a host known by something else only with a person's word, accept-new or not", () => {
    for (const result of ["other-key-type", "ca-only"] as const) {
      expect(decisions(result, true)).toEqual(["refuse-unknown", "ask", "ask", "ask"]);
      expect(new Set(decisions(result, false))).toEqual(new Set(["refuse-unknown"]));
    }
  });
});
