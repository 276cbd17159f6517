/** What decorations put beside the lines of the editor. */
import type { Page } from "playwright-core";
import { LONG } from "./waiting.ts";

export interface Decoration {
  /** 1-based line number as the editor prints it. */
  readonly line: number;
  readonly text: string;
  readonly color: string;
  /** All of it, without scrolling. */
  readonly isInSight: boolean;
}

/**
 * The text that decorations put beside the lines in view of the active editor, after or before them; of one line from
 * left to right.
 */
export async function decorations(page: Page): Promise<readonly Decoration[]> {
  const editor = page.locator(".editor-group-container.active .editor-instance").first();
  return editor.evaluate((root): Decoration[] => {
    const window = root.ownerDocument.defaultView;
    const view = root.querySelector(".editor-scrollable")?.getBoundingClientRect();
    if (!window || !view) return [];
    const numbers = [...root.querySelectorAll(".margin-view-overlays .line-numbers")].map((element) => ({
      top: Math.round(element.getBoundingClientRect().top),
      line: Number(element.textContent),
    }));
    const found: (Decoration & { readonly left: number })[] = [];
    for (const viewLine of root.querySelectorAll(".view-line")) {
      const top = Math.round(viewLine.getBoundingClientRect().top);
      const number = numbers.find((candidate) => Math.abs(candidate.top - top) <= 1)?.line ?? 0;
      for (const span of viewLine.querySelectorAll("span")) {
        for (const side of ["::before", "::after"]) {
          const style = window.getComputedStyle(span, side);
          const text = /^"(.*)"$/
            .exec(style.content)?.[1]
            ?.replace(/\u00a0/g, " ")
            .trim();
          if (!text) continue;
          // VS Code gives each such text an element of its own.
          const box = span.getBoundingClientRect();
          const isInSight =
            box.left >= view.left && box.right <= view.right && box.top >= view.top && box.bottom <= view.bottom;
          found.push({ line: number, text, color: style.color, isInSight, left: box.left });
        }
      }
    }
    return found.sort((a, b) => a.line - b.line || a.left - b.left).map(({ left: _, ...one }) => one);
  });
}

/** Waits until the decorations in view satisfy `holds`, and returns them. */
export async function waitForDecorations(
  page: Page,
  holds: (found: readonly Decoration[]) => boolean,
  timeout = LONG,
): Promise<readonly Decoration[]> {
  const deadline = Date.now() + timeout;
  for (;;) {
    const found = await decorations(page);
    if (holds(found)) return found;
    if (Date.now() > deadline) throw new Error(`The decorations are not as expected: ${JSON.stringify(found)}`);
    await page.waitForTimeout(100);
  }
}
