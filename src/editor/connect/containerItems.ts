/** What "Choose Container on the Board…" offers. */
import { defined } from "../../profile/defined.ts";
import { printable } from "../../profile/text/text.ts";
import type { EngineListing } from "../../remote/container/list.ts";
import { t } from "../../words/t.ts";

export interface ContainerItem {
  readonly label: string;
  readonly description?: string;
  /** As the setting has it; empty: on the board itself. */
  readonly inside: string;
}

/** The one that is set stands first; `inside` of two engines with one name are the same to the board: the first is taken. */
export function containerItems(engines: readonly EngineListing[], set: string): readonly ContainerItem[] {
  const found = new Map<string, ContainerItem>([["", { label: t("On the board itself"), inside: "" }]]);
  const add = (inside: string, label: string, description: string): void => {
    if (!found.has(inside)) found.set(inside, { label, description, inside });
  };
  for (const { name: engine, containers } of engines)
    for (const { name, image } of containers)
      add(`container:${name}`, printable(name), t("runs now, of {0} ({1})", printable(image), engine));
  for (const { name: engine, images } of engines)
    for (const image of images)
      add(`image:${image}`, printable(image), t("a new container of this image ({0})", engine));
  const chosen = found.get(set);
  const rest = [...found.values()].filter((item) => item !== chosen);
  if (chosen === undefined) return rest;
  const { description } = chosen;
  const now = t("(set now)");
  return [
    { ...chosen, ...defined({ description: description === undefined ? now : `${description} ${now}` }) },
    ...rest,
  ];
}
