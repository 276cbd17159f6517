/** PyTorch's figures as a bar and a table. */
import { formatBytes } from "../../src/profile/text/format.ts";
import type { CudaOom } from "../../src/torch/oomMessage.ts";
import { t } from "../../src/words/t.ts";
import { element, svgElement } from "../dom.ts";
import { withTerms } from "../terms.ts";
import { type AllocatorPicture, allocatorPicture, allocatorRows, type PartKind } from "./allocator.ts";

export function allocatorBox(oom: CudaOom): HTMLElement {
  const box = element("div", "", { class: "allocator" });
  const picture = allocatorPicture(oom);
  if (picture !== undefined) box.append(bars(picture), legend(picture));
  const table = element("table");
  table.append(element("caption", t("What PyTorch’s allocator held"), { class: "unseen" }));
  const body = table.createTBody();
  for (const { label, text } of allocatorRows(oom)) {
    const row = body.insertRow();
    row.append(withTerms("th", label, { scope: "row" }), element("td", text));
  }
  box.append(
    table,
    element("p", t("As PyTorch printed them: it rounds what it gives in GiB to about 10 MiB."), { class: "quiet" }),
  );
  return box;
}

/** The memory in all, and below it to the same scale what could not be had. */
function bars({ total, tried, parts }: AllocatorPicture): SVGSVGElement {
  const picture = svgElement("svg", {
    class: "bars",
    viewBox: "0 0 100 34",
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  let x = 0;
  for (const { kind, bytes } of parts) {
    const width = (bytes / total) * 100;
    picture.append(svgElement("rect", { class: `part ${kind}`, x, y: 0, width, height: 20 }));
    x += width;
  }
  // What was tried begins where the free memory begins: what sticks out did not fit.
  const free = parts.find(({ kind }) => kind === "free")?.bytes ?? 0;
  const width = Math.min(100, (tried / total) * 100);
  const start = Math.min(((total - free) / total) * 100, 100 - width);
  picture.append(svgElement("rect", { class: "part tried", x: start, y: 24, width: Math.max(width, 0.4), height: 10 }));
  return picture;
}

function legend({ tried, parts }: AllocatorPicture): HTMLElement {
  const list = element("ul", "", { class: "legend" });
  const entry = (kind: PartKind | "tried", text: string): HTMLElement => {
    const item = element("li");
    const swatch = svgElement("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" });
    swatch.append(svgElement("rect", { class: `part ${kind}`, width: 10, height: 10 }));
    item.append(swatch, text);
    return item;
  };
  list.append(
    ...parts.map(({ kind, label, bytes }) => entry(kind, t("{0}, {1}", label, formatBytes(bytes)))),
    entry("tried", t("Tried to allocate, {0}", formatBytes(tried))),
  );
  return list;
}
