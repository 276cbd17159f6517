/** What a picture of a page shows that nobody wants to see. Runs inside the page, as its own text; a list of faults. */

/**
 * Sideways scrolling of the page, words that are cut off without a way to read them, words over words, targets that are
 * too small to hit (WCAG 2.2: 24 px; links within a text are not asked for it), words of charts too faint or outside.
 */
export const LAYOUT_FAULTS = `(() => {
  const faults = [];
  const page = document.documentElement;
  const name = (element) =>
    element.tagName.toLowerCase() + (element.id ? "#" + element.id : "") + "." + (element.getAttribute("class") ?? "") +
    " “" + element.textContent.trim().slice(0, 40) + "”";

  if (page.scrollWidth > page.clientWidth) {
    const beyond = [...document.body.querySelectorAll("*")].filter((element) => element.getBoundingClientRect().right > page.clientWidth + 1);
    faults.push("the page scrolls sideways, for " + beyond.slice(0, 4).map(name).join(", "));
  }

  /** What is left of a box after all that clips it. */
  const clipped = (box, element) => {
    let { left, top, right, bottom } = box;
    for (let up = element; up && up !== document.body; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (style.clipPath !== "none") return undefined;
      if (up === element && style.display === "inline") continue;
      if (style.overflow === "visible") continue;
      const edge = up.getBoundingClientRect();
      [left, top] = [Math.max(left, edge.left), Math.max(top, edge.top)];
      [right, bottom] = [Math.min(right, edge.right), Math.min(bottom, edge.bottom)];
    }
    return right - left > 1 && bottom - top > 1 ? { left, top, right, bottom } : undefined;
  };

  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest("script, option, title") || !element.checkVisibility({ opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      const seen = clipped(box, element);
      if (seen) texts.push({ element, box: seen, layer: element.closest("#tooltip, .tip, .menu .items, [popover], thead, .row.head") });
    }
  }
  texts.forEach((a, i) => {
    for (const b of texts.slice(i + 1)) {
      if (a.element === b.element || a.layer !== b.layer) continue;
      const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      // Lines of text may touch.
      if (across > 2 && down > 5) faults.push(name(a.element) + " lies over " + name(b.element));
    }
  });

  for (const element of document.body.querySelectorAll("*")) {
    if (!element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    if (element instanceof SVGTextElement) {
      const [box, frame] = [element.getBoundingClientRect(), element.ownerSVGElement.getBoundingClientRect()];
      if (box.left < frame.left - 1 || box.right > frame.right + 1) faults.push(name(element) + " is cut off at the side");
      continue;
    }
    if (element instanceof SVGElement) continue;
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    const hides = style.overflowX === "hidden" && style.clipPath === "none";
    if (own && hides && element.scrollWidth > element.clientWidth + 1 && !(style.textOverflow === "ellipsis" && element.closest("[title]")))
      faults.push(name(element) + " is cut off");
    const target = "button:not(.link), select, input:not([type=radio], [type=range]), summary, .choices span, [role=tab]";
    const box = element.getBoundingClientRect();
    const label = element.matches("input[type=checkbox]") ? element.closest("label")?.getBoundingClientRect() : undefined;
    const height = Math.max(box.height, label?.height ?? 0);
    if (element.matches(target) && clipped(box, element) && height < 23.5) faults.push(name(element) + " is " + height.toFixed(1) + " px high");
  }
  return [...new Set(faults)];
})()`;
