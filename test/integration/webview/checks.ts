/** Checks that run inside a page, as its own text: the tests' types know no browser. Each gives a list of faults. */

/** Functions over colors as the browser tells them: the ground behind an element, and the contrast of two colors. */
export const COLOR_MATH = `
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
  const contrast = (one, other) => {
    const [a, b] = [luminance(one), luminance(other)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
`;

/** Visible texts whose contrast to what is behind them is below 4.5; disabled controls are not asked for it. */
export const POOR_CONTRASTS = `(() => {
  ${COLOR_MATH}
  const poor = [];
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    if (!own || element instanceof SVGElement || element instanceof HTMLScriptElement) continue;
    if (!element.checkVisibility() || element.closest(":disabled")) continue;
    const under = behind(element);
    const ratio = contrast(over(parse(getComputedStyle(element).color), under), under);
    if (ratio < 4.5) poor.push(element.tagName + " " + element.textContent.slice(0, 30) + " " + ratio.toFixed(2));
  }
  return poor;
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
