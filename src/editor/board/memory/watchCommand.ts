/** "Watch Memory": from the click to a page that shows a board's memory live. */
import * as vscode from "vscode";
import { defined } from "../../../profile/defined.ts";
import { t } from "../../../words/t.ts";
import { createPrompter } from "../../connect/prompter.ts";
import { offerToRemember } from "../../connect/rememberSecrets.ts";
import { createSecretKeeper } from "../../connect/secretKeeper.ts";
import { targetLabel } from "../../connect/targetItems.ts";
import { pickTarget, rememberTarget } from "../../connect/targetPicker.ts";
import { isTrusted } from "../../report/trust.ts";
import type { Services } from "../../services.ts";
import { windowRunSettings } from "../../settings/windowSettings.ts";

/** @param argument the target, where it is known: from the status bar's item, or to watch it again */
export async function watchMemory(services: Services, argument: unknown): Promise<void> {
  const { openWatch, revealWatch } = await import("./memoryViews.ts");
  const known = typeof argument === "string" ? argument : undefined;
  if (known !== undefined && revealWatch(known)) return;
  if (!(await isTrusted(t("Watching connects to a host that this workspace may name.")))) return;
  const { context, log, report } = services;
  const settings = windowRunSettings();
  const chosen = known ?? settings.target ?? (await pickTarget(context, log, t("Watch the memory of…")));
  if (chosen === undefined) return;
  const { formatTarget, parseTarget, watchBoard } = await import("../../remote.ts");
  const address = parseTarget(chosen);
  const target = formatTarget(address);
  if (revealWatch(target)) return;
  const title = targetLabel(target);
  openWatch(services, {
    target,
    title,
    ...(address.kind === "loopback" ? { simulated: t("this computer, over SSH") } : {}),
    watch(onEvent) {
      const keeper = createSecretKeeper(context.secrets);
      const over = new vscode.CancellationTokenSource();
      const handle = watchBoard(
        {
          target: address,
          ...defined({ python: settings.python }),
          boardFolder: settings.boardFolder,
          intervalMs: settings.watchIntervalMs,
        },
        {
          prompter: createPrompter(keeper, over.token),
          helperFolder: context.asAbsolutePath("python-helper"),
          onEvent(event) {
            if (event.kind === "connected") {
              if (known === undefined && settings.target === undefined) void rememberTarget(services, target);
              void offerToRemember(keeper.accepted(), context.globalState, report);
            }
            if (event.kind === "warning") report.tell("warning", event.message);
            if (event.kind === "reconnecting") log.warn(`Watching ${title}: ${event.reason}`);
            onEvent(event);
          },
        },
      );
      return {
        // An open question goes away with the watch.
        done: handle.done.finally(() => over.cancel()),
        stop() {
          over.cancel();
          handle.stop();
        },
      };
    },
  });
}
