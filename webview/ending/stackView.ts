/** A stack as a list; own frames lead to their lines. */
import type { CodePlace, EndingReport, StackFrame } from "../../src/board/ending/model.ts";
import { formatCount } from "../../src/profile/text/format.ts";
import { printable } from "../../src/profile/text/text.ts";
import { t } from "../../src/words/t.ts";
import { button, element } from "../dom.ts";
import { libraryPath, stackParts } from "./stack.ts";

export const SOURCES: Readonly<Record<EndingReport["stackSource"], () => string>> = {
  traceback: () => t("From the traceback that the script printed."),
  recorded: () => t("As it was recorded while the script ran. Only lines of the project are recorded."),
  none: () => "",
};

export function stackList(stack: readonly StackFrame[], goTo: (place: CodePlace) => void): HTMLElement {
  const list = element("ol", "", { class: "stack", "aria-label": t("Stack, outermost call first") });
  for (const part of stackParts(stack)) {
    if (part.kind === "own") list.append(ownFrame(part.frame, goTo));
    else list.append(libraryFrames(part.frames));
  }
  return list;
}

function ownFrame(frame: StackFrame, goTo: (place: CodePlace) => void): HTMLElement {
  const { path, line } = frame;
  const item = element("li", "", { class: "own" });
  item.append(
    button(printable(`${path}:${line}`), () => goTo({ path, line }), { class: "link" }),
    element("span", functionText(frame), { class: "quiet" }),
  );
  if (frame.text !== undefined) item.append(codeLine(frame.text));
  return item;
}

function libraryFrames(frames: readonly StackFrame[]): HTMLElement {
  const item = element("li", "", { class: "library quiet" });
  const [first] = frames;
  if (first !== undefined && frames.length === 1) {
    item.append(element("span", frameText(first)));
    return item;
  }
  const fold = element("details");
  const inner = element("ol");
  inner.append(...frames.map((frame) => element("li", frameText(frame))));
  fold.append(element("summary", t("{0} calls in libraries", formatCount(frames.length))), inner);
  item.append(fold);
  return item;
}

function frameText(frame: StackFrame): string {
  return printable(`${libraryPath(frame.path)}:${frame.line}`) + functionText(frame);
}

function functionText({ function: name }: StackFrame): string {
  if (name === undefined) return "";
  return ` ${name === "<module>" ? t("at module level") : t("in {0}", printable(name))}`;
}

export function codeLine(text: string): HTMLElement {
  return element("code", printable(text.trim()), { class: "source" });
}
