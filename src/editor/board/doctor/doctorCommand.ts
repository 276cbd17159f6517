/** "Check Board": from the click to the page that says what the board has, what it lacks and what to do about it. */
import { t } from "../../../words/t.ts";
import { pickTarget, rememberTarget } from "../../connect/targetPicker.ts";
import { isTrusted } from "../../report/trust.ts";
import type { Services } from "../../services.ts";
import { windowRunSettings } from "../../settings/windowSettings.ts";
import { boardOf } from "./doctorBoard.ts";
import { rememberChecked } from "./doctorOffer.ts";

/** @param argument the target, where it is known */
export async function checkBoard(services: Services, argument: unknown): Promise<void> {
  if (!(await isTrusted(t("Checking connects to a host that this workspace may name.")))) return;
  const settings = windowRunSettings();
  const known = typeof argument === "string" ? argument : settings.target;
  const target = known ?? (await pickTarget(services.context, services.log, t("Check which board?")));
  if (target === undefined) return;
  const board = await boardOf(services, target, settings);
  const report = await board.check();
  if (known === undefined) await rememberTarget(services, board.target);
  await rememberChecked(services.context.globalState, board.target);
  (await import("../endingAndDoctor.ts")).openDoctor(services, board, report);
}
