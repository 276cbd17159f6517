import { originName, placeName } from "../../profile/run/origin.ts";
import type { RunHead } from "../../profile/run/runHead.ts";
import { t } from "../../words/t.ts";

/** Where a run was recorded, for people: `nano`, `simulated board`. */
export function boardName({ run, origin }: RunHead): string | undefined {
  if (origin === undefined) return run.board.hostname;
  if (!origin.simulated) return originName(origin, run.board.simulated);
  return placeName(origin.inside, t("simulated board"));
}
