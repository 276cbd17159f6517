/** Layers that models of the workspace have in common, and what merging them would save. */
import { formatBytes, formatCount } from "../../src/profile/text/format.ts";
import { printable } from "../../src/profile/text/text.ts";
import type { ModelDocument } from "../../src/protocol/torch/model.ts";
import { MERGING_NEEDS_TRAINING } from "../../src/torch/model/sharing.ts";
import type { SharedLayer } from "../../src/torch/whatif/model.ts";
import { phrase, say, t } from "../../src/words/t.ts";
import { element } from "../dom.ts";
import { shortType } from "./layers/layers.ts";
import { plainTable } from "./plainTable.ts";

const MATCHED = phrase("How layers are matched: the method of GEMEL (NSDI 2023).");

export function sharedView({ shared, compared }: Pick<ModelDocument, "shared" | "compared">): HTMLElement[] {
  if (compared < 2) {
    const text = t(
      "Only one model is known in this workspace. Profile another script with Model Account to see what the models have in common.",
    );
    return [element("p", text, { class: "quiet" })];
  }
  const models = t("{0} models, of the newest run of each script", formatCount(compared));
  if (shared.length === 0) return [element("p", t("No layer is the same in two of {0}.", models), { class: "quiet" })];
  const saving = shared.reduce((sum, layer) => sum + layer.saving, 0);
  return [
    element(
      "p",
      t(
        "Compared: {0}. Merging all of these layers would save {1}. {2} {3}",
        models,
        formatBytes(saving),
        say(MERGING_NEEDS_TRAINING),
        say(MATCHED),
      ),
    ),
    plainTable<SharedLayer>(
      t("Layers with the same type, settings, shapes and types of numbers"),
      [
        { title: t("Layer"), cell: layerCell },
        { title: t("Bytes of one"), cell: ({ bytes }) => formatBytes(bytes), figure: true },
        { title: t("Copies"), cell: ({ copies }) => formatCount(copies.length), figure: true },
        { title: t("Merging saves"), cell: ({ saving: saved }) => formatBytes(saved), figure: true },
        { title: t("Where"), cell: copiesText },
      ],
      shared,
    ),
  ];
}

function layerCell({ type, config }: SharedLayer): HTMLElement {
  const cell = element("span", printable(shortType(type)));
  if (config !== "") cell.append(element("code", ` (${printable(config)})`));
  return cell;
}

const copiesText = ({ copies }: SharedLayer): string =>
  printable(copies.map(({ model, layer }) => t("{0}: {1}", model, layer)).join(t(", ")));
