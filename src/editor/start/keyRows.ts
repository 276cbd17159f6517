/** What "Verify Board Key" says of a board's keys, and what it offers. Nothing of VS Code is needed to decide it. */

import { fingerprintCommand, keyFamily } from "../../protocol/run/hostKeys.ts";
import type { BoardKey, BoardKeys } from "../../protocol/run/run.ts";
import { phrase, say, t } from "../../words/t.ts";

export type KeyAction =
  | { readonly kind: "copy"; readonly text: string }
  | { readonly kind: "store" | "differ" | "done" };

export type KeyRow =
  | { readonly heading: string }
  | { readonly icon: string; readonly label: string; readonly detail: string; readonly action: KeyAction };

export interface KeyPage {
  /** The key a run would meet is known: there is nothing to decide. */
  readonly verified: boolean;
  readonly title: string;
  /** The next step. */
  readonly hint: string;
  readonly rows: readonly KeyRow[];
}

/** @param label the board as its user calls it */
export function keyPage(board: BoardKeys, label: string, simulated: boolean): KeyPage {
  const [first] = board.keys;
  const { state, hint } = simulated ? SIMULATED : VERDICTS[first.standing];
  const through = board.via.join(" → ");
  return {
    verified: first.standing === "match",
    title:
      through === ""
        ? t("Host key of {0}: {1}", label, say(state))
        : t("Host key of {0}, through {1}: {2}", label, through, say(state)),
    hint: say(hint),
    rows: [
      ...board.keys.map((key) => keyRow(key, simulated)),
      { heading: t("To compare, on the board itself") },
      commandRow(first),
      ...decision(board),
    ],
  };
}

const SIMULATED = {
  state: phrase("made for this connection"),
  hint: phrase("A simulated board is this computer: there is nothing to compare, nothing is stored"),
};

const VERDICTS: Readonly<Record<BoardKey["standing"], typeof SIMULATED>> = {
  match: { state: phrase("known"), hint: phrase("It is the key that you trusted before. Nothing is left to do") },
  unknown: {
    state: phrase("not known yet"),
    hint: phrase("Compare the first fingerprint with what the board itself prints"),
  },
  "other-key-type": {
    state: phrase("not known yet"),
    hint: phrase("The board is known by a different key. Compare before you trust this one"),
  },
  "ca-only": {
    state: phrase("not known yet"),
    hint: phrase("Certificates are not checked here. Compare the fingerprint itself"),
  },
  changed: {
    state: phrase("CHANGED"),
    hint: phrase("This may be another machine. Do not connect before you know why"),
  },
  revoked: {
    state: phrase("REVOKED"),
    hint: phrase("Do not connect. Ask the board's administrator for its new key"),
  },
};

function keyRow({ keyType, fingerprint, standing, entry }: BoardKey, simulated: boolean): KeyRow {
  const where = entry === undefined ? "" : t("{0}, line {1}", entry.file, entry.line);
  const instead = entry === undefined ? "" : t("{0} {1} ({2})", keyFamily(entry.keyType), entry.fingerprint, where);
  const details: Readonly<Record<BoardKey["standing"], string>> = {
    match: simulated ? t("Checked by this window, which made it") : t("Known: {0}", where),
    unknown: t("Not in your known hosts"),
    "other-key-type": t("Not in your known hosts, where the board stands with {0}", instead),
    "ca-only": t("Not in your known hosts; a certificate authority is ({0})", where),
    changed: t("Your known hosts have a different one: {0}", instead),
    revoked: t("Marked as revoked: {0}", where),
  };
  return {
    icon: standing === "changed" || standing === "revoked" ? "warning" : "key",
    label: `${keyFamily(keyType)} ${fingerprint}`,
    detail: details[standing],
    action: { kind: "copy", text: fingerprint },
  };
}

function commandRow({ keyType }: BoardKey): KeyRow {
  const text = fingerprintCommand(keyType);
  return {
    icon: "copy",
    label: t("Copy the Command That Prints It There"),
    detail: text,
    action: { kind: "copy", text },
  };
}

function decision({ host, keys, store }: BoardKeys): readonly KeyRow[] {
  const [{ keyType, standing, entry }] = keys;
  if (store !== undefined) {
    return [
      { heading: t("When you have compared") },
      {
        icon: "verified",
        label: t("They Match: Trust the {0} Key", keyFamily(keyType)),
        detail: t("It is stored in your known hosts for {0}, and every connection is checked against it", host),
        action: { kind: "store" },
      },
      {
        icon: "close",
        label: t("They Differ"),
        detail: t("Nothing is stored, and you are told what to do"),
        action: { kind: "differ" },
      },
    ];
  }
  if (standing === "changed" && entry !== undefined) {
    const text = `ssh-keygen -R '${host}' -f '${entry.file}'`;
    return [
      { heading: t("Only if the board was reinstalled and itself prints this fingerprint") },
      {
        icon: "copy",
        label: t("Copy the Command That Forgets the Old Key"),
        detail: text,
        action: { kind: "copy", text },
      },
    ];
  }
  if (standing === "revoked") return [];
  return [
    { heading: "" },
    { icon: "check", label: t("Done"), detail: t("Nothing was changed"), action: { kind: "done" } },
  ];
}
