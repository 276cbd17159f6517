import { describe, expect, it } from "vitest";
import { UserError } from "../profile/userError.ts";
import { conceal, concealIn, concealing, noting } from "./secrets.ts";

describe("conceal", () => {
  it("leaves nothing of a secret that another one is a part of", () => {
    expect(conceal("not hunter2, nor hunter2hunter3", ["hunter2", "hunter2hunter3"])).toBe("not •••, nor •••");
  });

  it("does not take words apart for a few letters", () => {
    expect(conceal("a word", ["a", "", "wor"])).toBe("a word");
  });
});

describe("concealIn", () => {
  it("makes an error without the secret and without its cause; another stays as it is", () => {
    const error = new UserError("x", "said hunter2", "type hunter2", { cause: new Error("hunter2") });
    const clean = concealIn(error, ["hunter2"]);
    expect(clean).toMatchObject({ code: "x", message: "said •••", hint: "type •••" });
    expect(clean.cause).toBeUndefined();
    expect(concealIn(error, ["other"])).toBe(error);
    const plain = new Error("hunter2");
    expect(concealIn(plain, ["hunter2"])).toBe(plain);
  });
});

describe("concealing", () => {
  const through = (secret: string | undefined, pieces: readonly string[]): string => {
    let out = "";
    const filter = concealing(secret, (data) => {
      out += data.toString("latin1");
    });
    for (const piece of pieces) filter.take(Buffer.from(piece, "latin1"));
    filter.end();
    return Buffer.from(out, "latin1").toString("utf8");
  };

  it("finds a secret however it is cut in pieces, and passes all else on", () => {
    const text = "hunhunter2ter2 hunter2hunter2 hunter";
    const expected = "hun•••ter2 •••••• hunter";
    expect(through("hunter2", [text])).toBe(expected);
    expect(through("hunter2", [...text])).toBe(expected);
    expect(through(undefined, [text])).toBe(text);
  });
});

describe("noting", () => {
  it("notes what was typed unseen, and not what was shown", async () => {
    const secrets = new Set<string>();
    const who = noting(
      {
        confirmHostKey: async () => true,
        secret: async () => "password",
        keyboardInteractive: async () => ["hidden", "shown"],
      },
      secrets,
    );
    await who.secret({ kind: "passphrase", keyPath: "k", attempt: 1 });
    const prompts = [
      { prompt: "a", echo: false },
      { prompt: "b", echo: true },
    ];
    await who.keyboardInteractive({ user: "u", host: "h", name: "", instructions: "", prompts });
    expect([...secrets]).toEqual(["password", "hidden"]);
  });
});
