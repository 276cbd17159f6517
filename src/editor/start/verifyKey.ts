/** "Verify Board Key": a board's fingerprints, what is known of them, and the decision, which is the person's. */
import * as vscode from "vscode";
import type { BoardKeys } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import { connected } from "../connect/connected.ts";
import { targetLabel } from "../connect/targetItems.ts";
import { pickTarget, rememberTarget } from "../connect/targetPicker.ts";
import { runCommand } from "../ourCommands.ts";
import { asUserError } from "../report/asUserError.ts";
import { isTrusted } from "../report/trust.ts";
import type { Services } from "../services.ts";
import { windowRunSettings } from "../settings/windowSettings.ts";
import { type KeyAction, type KeyPage, type KeyRow, keyPage } from "./keyRows.ts";
import { reached } from "./milestones.ts";

const COPIED_MS = 5_000;

type Item = vscode.QuickPickItem & { readonly action?: KeyAction };

/** @param argument the target, where it is known: to look again */
export async function verifyKey(services: Services, argument: unknown): Promise<void> {
  if (!(await isTrusted(t("Verifying connects to a host that this workspace may name.")))) return;
  const { context, log, report } = services;
  const known = typeof argument === "string" ? argument : windowRunSettings().target;
  const target = known ?? (await pickTarget(context, log, t("Verify the key of…")));
  if (target === undefined) return;
  try {
    await verify(services, target);
    if (known === undefined) await rememberTarget(services, target);
  } catch (error) {
    // There is nothing between this computer and itself.
    if (asUserError(error)?.code === "no-host-key") reached("key");
    const again = () => runCommand("jetsonMemprof.verifyKey", target);
    report.error(error, t("Verifying the key"), known === "local" ? {} : { [t("Try Again")]: again });
  }
}

async function verify(services: Services, target: string): Promise<void> {
  const { boardKeys, parseTarget } = await import("../remote.ts");
  const address = parseTarget(target);
  const label = targetLabel(target);
  const board = await connected(services, t("Looking at the key of {0}", label), (prompter, signal) =>
    boardKeys(address, prompter, signal),
  );
  const page = keyPage(board, label, address.kind === "loopback");
  if (page.verified) reached("key");
  await decide(services, board, label, await choose(page));
}

/** The page stays open while something is copied from it, and while its user looks at the board. */
function choose(page: KeyPage): Promise<KeyAction["kind"] | undefined> {
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = page.title;
  picker.placeholder = page.hint;
  picker.ignoreFocusOut = true;
  picker.items = page.rows.map(item);
  return new Promise<KeyAction["kind"] | undefined>((resolve, reject) => {
    picker.onDidAccept(() => {
      const action = picker.selectedItems[0]?.action;
      if (action?.kind === "copy") void copy(action.text).catch(reject);
      else if (action !== undefined) resolve(action.kind);
    });
    picker.onDidHide(() => resolve(undefined));
    picker.show();
  }).finally(() => picker.dispose());
}

async function copy(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(`$(check) ${t("Copied: {0}", text)}`, COPIED_MS);
}

function item(row: KeyRow): Item {
  if ("heading" in row) return { label: row.heading, kind: vscode.QuickPickItemKind.Separator };
  return {
    label: row.label,
    detail: row.detail,
    iconPath: new vscode.ThemeIcon(row.icon),
    action: row.action,
    alwaysShow: true,
  };
}

async function decide(
  { report }: Services,
  board: BoardKeys,
  label: string,
  decision: KeyAction["kind"] | undefined,
): Promise<void> {
  if (decision === "store" && board.store !== undefined) {
    const file = await board.store();
    reached("key");
    report.tell(
      "information",
      t("The key of {0} is stored in {1}. Every connection is checked against it.", label, file),
    );
  }
  if (decision === "differ") {
    report.tell(
      "warning",
      t(
        "Nothing was stored for {0}. Another machine may have answered: check the address on the board itself " +
          "(hostname -I), and type no password until the fingerprints match.",
        label,
      ),
    );
  }
}
