/** What keeps the ring around what has the focus from being seen. Runs inside a page, as its own text; a list of faults. */
import { COLOR_MATH } from "./checks.ts";

/** WCAG 2.2: parts of what is operated. */
const LEAST = 3;

/** The ring beside what it touches in the middle of each side, within and without; of the row that is meant as well. */
export const RING_FAULTS = `(() => {
  ${COLOR_MATH}
  const ringOf = (focused) =>
    [focused, focused.nextElementSibling, focused.querySelector(":scope > .line")].find((element) => {
      if (!element) return false;
      const { outlineStyle, outlineWidth, opacity } = getComputedStyle(element);
      return opacity !== "0" && outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0;
    });
  const faultsOf = (focused) => {
    const said = (focused.getAttribute("aria-label") ?? focused.textContent).trim().slice(0, 30);
    const name = focused.tagName.toLowerCase() + "#" + focused.id + " “" + said + "”";
    const ringed = ringOf(focused);
    if (!ringed) return [name + " has no ring"];
    const { outlineColor, outlineWidth, outlineOffset } = getComputedStyle(ringed);
    const [box] = ringed.getClientRects();
    const [width, offset] = [Number.parseFloat(outlineWidth), Number.parseFloat(outlineOffset)];
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const sides = (far) => ({
      left: [box.left - far, y], right: [box.right + far, y], above: [x, box.top - far], below: [x, box.bottom + far],
    });
    const faults = [];
    for (const [where, far] of [["within", offset - 1], ["without", offset + width + 1]])
      for (const [side, point] of Object.entries(sides(far))) {
        const beside = document.elementFromPoint(...point);
        if (!beside) continue;
        const ground = behind(beside);
        const ratio = contrast(over(parse(outlineColor), ground), ground);
        if (ratio < ${LEAST}) faults.push(name + ": contrast " + ratio.toFixed(2) + " to " + ground.map(Math.round) + " " + where + ", " + side);
      }
    return faults;
  };
  const focused = document.activeElement;
  const meant = document.getElementById((focused.getAttribute("aria-activedescendant") ?? "").split(" ")[0]);
  return [focused, ...(meant?.matches("[role=row]") ? [meant] : [])].flatMap(faultsOf);
})()`;
