import { describe, expect, it } from "vitest";
import { createSecretKeeper, secretKey } from "./secretKeeper.ts";

function store(content: Record<string, string> = {}) {
  const secrets = new Map(Object.entries(content));
  return {
    secrets,
    get: async (key: string) => secrets.get(key),
    store: async (key: string, value: string) => void secrets.set(key, value),
    delete: async (key: string) => void secrets.delete(key),
  };
}

const password = { kind: "password", user: "nano", host: "10.0.0.2", attempt: 1 } as const;
const KEY = "jetsonMemprof.password:nano@10.0.0.2";

describe("secret keeper", () => {
  it("gives a stored secret once and forgets it when it is refused", async () => {
    const kept = store({ [KEY]: "old" });
    const keeper = createSecretKeeper(kept);
    expect(await keeper.recall(password)).toBe("old");
    expect(await keeper.recall({ ...password, attempt: 2 })).toBeUndefined();
    expect(kept.secrets.size).toBe(0);
  });

  it("forgets a refused secret also where the attempts are not counted on", async () => {
    const kept = store({ [KEY]: "old" });
    const keeper = createSecretKeeper(kept);
    await keeper.recall(password);
    expect(await keeper.recall(password)).toBeUndefined();
    expect(kept.secrets.size).toBe(0);
  });

  it("stores nothing unless it is told to, and then the newest that was typed", async () => {
    const kept = store();
    const keeper = createSecretKeeper(kept);
    keeper.typed(password, "wrong");
    keeper.typed({ ...password, attempt: 2 }, "right");
    expect(kept.secrets.size).toBe(0);
    const accepted = keeper.accepted();
    expect(accepted.map(({ what }) => what)).toEqual(["the password of nano@10.0.0.2"]);
    expect(keeper.accepted()).toEqual([]);
    await accepted[0]?.remember();
    expect(kept.secrets.get(KEY)).toBe("right");
  });

  it("keeps passphrases by their key file", () => {
    expect(secretKey({ kind: "passphrase", keyPath: "/home/me/.ssh/id", attempt: 1 })).toBe(
      "jetsonMemprof.passphrase:/home/me/.ssh/id",
    );
  });
});
