/** Layers that models of the workspace have in common, and what merging them would save. */
import { formatBytes, formatCount } from "../../src/profile/format.ts";
import { printable } from "../../src/profile/text.ts";
import type { ModelDocument } from "../../src/protocol/model.ts";
import { MERGING_NEEDS_TRAINING } from "../../src/torch/account/sharing.ts";
import type { SharedLayer } from "../../src/torch/whatif/model.ts";
import { element } from "../dom.ts";
import { shortType } from "./layers.ts";
import { plainTable } from "./plainTable.ts";

const MATCHED = "How layers are matched: the method of GEMEL (NSDI 2023).";

export function sharedView({ shared, compared }: Pick<ModelDocument, "shared" | "compared">): HTMLElement[] {
  if (compared < 2) {
    const text =
      "Only one model is known in this workspace. Profile another script with Model Account to see what the models have in common.";
    return [element("p", text, { class: "quiet" })];
  }
  const models = `${formatCount(compared)} models, of the newest run of each script`;
  if (shared.length === 0) return [element("p", `No layer is the same in two of ${models}.`, { class: "quiet" })];
  const saving = shared.reduce((sum, layer) => sum + layer.saving, 0);
  return [
    element(
      "p",
      `Compared: ${models}. Merging all of these layers would save ${formatBytes(saving)}. ${MERGING_NEEDS_TRAINING} ${MATCHED}`,
    ),
    plainTable<SharedLayer>(
      "Layers with the same type, settings, shapes and types of numbers",
      [
        { title: "Layer", cell: layerCell },
        { title: "Bytes of one", cell: ({ bytes }) => formatBytes(bytes), figure: true },
        { title: "Copies", cell: ({ copies }) => formatCount(copies.length), figure: true },
        { title: "Merging saves", cell: ({ saving: saved }) => formatBytes(saved), figure: true },
        { title: "Where", cell: copiesText },
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
  printable(copies.map(({ model, layer }) => `${model}: ${layer}`).join(", "));
