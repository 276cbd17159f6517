import { afterEach, describe, expect, it } from "vitest";
import { catalogue } from "../../../scripts/words.mjs";
import type { BoardKey, BoardKeys } from "../../protocol/run/run.ts";
import { speakChinese } from "../../words/testing.ts";
import { keyPage } from "./keyRows.ts";

const ed25519: BoardKey = { keyType: "ssh-ed25519", fingerprint: "SHA256:new", standing: "unknown" };
const old = { keyType: "ssh-ed25519", fingerprint: "SHA256:old", file: "/home/me/.ssh/known_hosts", line: 3 };
const board = (key: Partial<BoardKey>, more: Partial<BoardKeys> = {}): BoardKeys => ({
  host: "[nano]:2222",
  via: [],
  keys: [{ ...ed25519, ...key }],
  ...more,
});
const store = async (): Promise<string> => "known_hosts";
const page = (keys: BoardKeys) => keyPage(keys, "me@nano", false);
const labels = (keys: BoardKeys) => page(keys).rows.map((row) => ("heading" in row ? `— ${row.heading}` : row.label));
const actions = (keys: BoardKeys) => page(keys).rows.flatMap((row) => ("heading" in row ? [] : [row.action.kind]));

describe("keyPage", () => {
  it("has an unknown key compared first, and stored only by the row that says they are the same", () => {
    const unknown = board({}, { store });
    expect(page(unknown)).toMatchObject({ verified: false, title: "Host key of me@nano: not known yet" });
    expect(labels(unknown)).toEqual([
      "ED25519 SHA256:new",
      "— To compare, on the board itself",
      "Copy the Command That Prints It There",
      "— When you have compared",
      "They Match: Trust the ED25519 Key",
      "They Differ",
    ]);
    expect(actions(unknown)).toEqual(["copy", "copy", "store", "differ"]);
  });

  it("says where a known key stands, and leaves nothing to do", () => {
    const known = board({ standing: "match", entry: old });
    expect(page(known)).toMatchObject({ verified: true, title: "Host key of me@nano: known" });
    expect(page(known).rows).toContainEqual(
      expect.objectContaining({ detail: "Known: /home/me/.ssh/known_hosts, line 3" }),
    );
    expect(actions(known)).toEqual(["copy", "copy", "done"]);
  });

  it("offers no way to accept a changed key, only the command that forgets the old one", () => {
    const changed = board({ standing: "changed", entry: old });
    expect(page(changed)).toMatchObject({ verified: false, title: "Host key of me@nano: CHANGED" });
    expect(actions(changed)).toEqual(["copy", "copy", "copy"]);
    const text = "ssh-keygen -R '[nano]:2222' -f '/home/me/.ssh/known_hosts'";
    expect(page(changed).rows.at(-1)).toMatchObject({ detail: text, action: { kind: "copy", text } });
    expect(page(changed).rows).toContainEqual(
      expect.objectContaining({
        detail: "Your known hosts have a different one: ED25519 SHA256:old (/home/me/.ssh/known_hosts, line 3)",
      }),
    );
  });

  it("leaves nothing to do with a revoked key", () => {
    const revoked = board({ standing: "revoked", entry: old });
    expect(page(revoked).title).toBe("Host key of me@nano: REVOKED");
    expect(actions(revoked)).toEqual(["copy", "copy"]);
  });

  it("names the way there, and the file of each kind of key on the board", () => {
    const far = board({ keyType: "ecdsa-sha2-nistp256" }, { via: ["me@gate"], store });
    expect(page(far).title).toBe("Host key of me@nano, through me@gate: not known yet");
    expect(labels(far)).toEqual(expect.arrayContaining(["ECDSA SHA256:new"]));
    expect(page(far).rows).toContainEqual(
      expect.objectContaining({ detail: "ssh-keygen -lf /etc/ssh/ssh_host_ecdsa_key.pub" }),
    );
  });

  it("says of a simulated board that there is nothing to compare", () => {
    const { title, verified } = keyPage(board({ standing: "match" }), "Simulated board", true);
    expect([title, verified]).toEqual(["Host key of Simulated board: made for this connection", true]);
  });

  describe("in Chinese", () => {
    let speakEnglish = (): void => undefined;
    afterEach(() => speakEnglish());

    it("says how the key stands, and what to do", () => {
      speakEnglish = speakChinese(catalogue("zh-cn"));
      const { title, hint } = page(board({}, { via: ["me@gate"], store }));
      expect(title).toBe("me@nano 的主机密钥（通过 me@gate）：尚未知晓");
      expect(hint).toBe("将第一个指纹与开发板自身输出的指纹进行比较");
    });
  });
});
