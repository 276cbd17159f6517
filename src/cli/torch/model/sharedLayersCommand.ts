/** `shared-layers`: layers that the models of a project have alike. */
import * as path from "node:path";
import { newestAccounts } from "../../../board/node/readTraining.ts";
import { runsFolderOf } from "../../../profile/run/runsFolder.ts";
import { formatBytes } from "../../../profile/text/format.ts";
import { aligned } from "../../../profile/text/table.ts";
import { printable } from "../../../profile/text/text.ts";
import { UserError } from "../../../profile/userError.ts";
import { MERGING_NEEDS_TRAINING, sharedLayers } from "../../../torch/model/sharing.ts";
import type { SharedLayer } from "../../../torch/whatif/model.ts";
import { say, t } from "../../../words/t.ts";
import { jsonText, type Output } from "../../terminal/output.ts";
import type { SharedLayersCommand } from "./modelCommandLine.ts";
import { sharedLayersJson } from "./modelJson.ts";
import { shortType } from "./modelText.ts";

const MOST_ROWS = 40;

/** @throws UserError `no-models` */
export async function showSharedLayers({ project, json }: SharedLayersCommand, output: Output): Promise<void> {
  const runs = runsFolderOf(path.resolve(project ?? "."));
  const found = await newestAccounts([runs]);
  if (found.length < 2) {
    throw new UserError(
      "no-models",
      t("The runs in {0} have accounts of {1}.", runs, found.length === 0 ? t("no model") : t("one model only")),
      t("Profile two scripts or more with --model; layers are compared between the newest runs of each."),
    );
  }
  const models = found.map(({ model }) => model);
  const layers = sharedLayers(found);
  output.write(json ? jsonText(sharedLayersJson(models, layers)) : sharedText(models, layers));
}

function sharedText(models: readonly string[], layers: readonly SharedLayer[]): string {
  const head = t("Models compared: {0}", models.join(", "));
  if (layers.length === 0) return t("{0}\nThey have no layer in common.\n", printable(head));
  const saving = layers.reduce((sum, layer) => sum + layer.saving, 0);
  const rows = layers
    .slice(0, MOST_ROWS)
    .map(({ type, config, bytes, copies, saving: saved }) => [
      formatBytes(saved),
      formatBytes(bytes),
      String(copies.length),
      `${shortType(type)}(${config})`,
      copies.map(({ model, layer }) => `${model}: ${layer === "" ? t("(the model)") : layer}`).join(", "),
    ]);
  const lines = [
    head,
    "",
    ...aligned([[t("Saves"), t("One copy"), t("Copies"), t("Layer"), t("Where")], ...rows], 3),
    ...(layers.length > MOST_ROWS ? [t("{0} more save less; --json has all.", layers.length - MOST_ROWS)] : []),
    "",
    t("Merging all of them would save {0}.", formatBytes(saving)),
    say(MERGING_NEEDS_TRAINING),
  ];
  return `${lines.map(printable).join("\n")}\n`;
}
