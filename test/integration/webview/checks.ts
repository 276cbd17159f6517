/** Checks that run inside a page, as its own text: the tests' types know no browser. Each gives a list of faults. */

/** Visible texts whose contrast to what is behind them is below 4.5; disabled controls are not asked for it. */
export const POOR_CONTRASTS = `(() => {
  const luminance = (color) => {
    const [r, g, b] = color.map((value) => {
      const v = value / 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * (top[3] ?? 1) + under[i] * (1 - (top[3] ?? 1)));
  const behind = (element) => {
    if (!element) return [255, 255, 255];
    const color = parse(getComputedStyle(element).backgroundColor);
    return (color[3] ?? 1) === 1 ? color : over(color, behind(element.parentElement));
  };
  const poor = [];
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    if (!own || element instanceof SVGElement || element instanceof HTMLScriptElement) continue;
    if (!element.checkVisibility() || element.closest(":disabled")) continue;
    const under = behind(element);
    const [a, b] = [luminance(over(parse(getComputedStyle(element).color), under)), luminance(under)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(element.tagName + " " + element.textContent.slice(0, 30) + " " + ratio.toFixed(2));
  }
  return poor;
})()`;

/** Controls without a name, ids that come twice, references that lead nowhere, pictures nobody is told of. */
export const ROLES_AND_NAMES = `(() => {
  const faults = [];
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) faults.push("#" + id + " twice");
  for (const name of ["aria-controls", "aria-labelledby", "aria-describedby", "for"])
    for (const element of document.querySelectorAll("[" + name + "]"))
      for (const id of element.getAttribute(name).split(" "))
        if (!document.getElementById(id)) faults.push(name + " of " + element.id + " leads to no #" + id);
  const named = (element) =>
    element.getAttribute("aria-label")?.trim() || element.getAttribute("aria-labelledby") ||
    element.textContent.trim() || element.labels?.length > 0;
  const controls = "button, select, input, summary, [tabindex], [role=slider], [role=application], [role=tree]";
  for (const element of document.querySelectorAll(controls))
    if (element.checkVisibility() && !named(element)) faults.push(element.outerHTML.slice(0, 80) + " has no name");
  for (const picture of document.querySelectorAll("canvas, svg"))
    if (!picture.closest("[aria-hidden=true], [role=application]")) faults.push("a picture without a role");
  for (const item of document.querySelectorAll("[role=treeitem]"))
    if (!item.parentElement.matches("[role=tree], [role=group]")) faults.push("a tree item outside a tree");
  for (const tab of document.querySelectorAll("[role=tab]"))
    if (!tab.hasAttribute("aria-selected")) faults.push(tab.id + " does not say whether it is selected");
  for (const slider of document.querySelectorAll("[role=slider]"))
    if (!slider.getAttribute("aria-valuetext")) faults.push("a slider without a value");
  return faults;
})()`;

/** What has the focus: its id, or else its name. */
export const FOCUSED = `(() => {
  const element = document.activeElement;
  return element === document.body ? "" : element.id || element.getAttribute("name") || element.tagName;
})()`;

/** Resolves when what the page has asked to be drawn so far is drawn: the frame after the next one. */
export const DRAWN = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`;

/** Red, green and blue of the canvas at a fraction of its width and at a height in CSS pixels. */
export const pixelAt = (fraction: number, y: number): string => `${DRAWN}.then(() => {
  const canvas = document.getElementById("canvas");
  const row = Math.round((${y} * canvas.width) / canvas.clientWidth);
  return [...canvas.getContext("2d").getImageData(${fraction} * canvas.width, row, 1, 1).data].slice(0, 3);
})`;
