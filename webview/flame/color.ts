/** Colors as the theme gives them, mixed and measured. */

/** Red, green, blue in 0…255. */
export type Rgb = readonly [number, number, number];

/** `#rgb`, `#rrggbb`, `#rrggbbaa` and `rgb(…)`; what is see-through counts as laid over `under`. */
export function parseColor(text: string, under: Rgb): Rgb | undefined {
  const hex = /^#([0-9a-f]{3,8})$/i.exec(text.trim())?.[1];
  if (hex) {
    const pairs = hex.length <= 4 ? [...hex].map((digit) => digit + digit) : (hex.match(/../g) ?? []);
    const [red, green, blue, alpha = 255] = pairs.map((pair) => Number.parseInt(pair, 16));
    if (red === undefined || green === undefined || blue === undefined) return undefined;
    return mix([red, green, blue], under, alpha / 255);
  }
  const numbers = /^rgba?\(([^)]*)\)$/i
    .exec(text.trim())?.[1]
    ?.match(/[\d.]+/g)
    ?.map(Number);
  const [red, green, blue, alpha = 1] = numbers ?? [];
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return mix([red, green, blue], under, alpha);
}

/** `share` of `a` and the rest of `b`. */
export function mix(a: Rgb, b: Rgb, share: number): Rgb {
  const part = (i: 0 | 1 | 2): number => Math.round(a[i] * share + b[i] * (1 - share));
  return [part(0), part(1), part(2)];
}

export const cssColor = ([red, green, blue]: Rgb): string => `rgb(${red}, ${green}, ${blue})`;

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((value) => {
    const v = value / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

/** The WCAG contrast ratio, 1…21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** `preferred` where it can be read on `fill`, else black or white, whichever can be read better. */
export function readableOn(fill: Rgb, preferred: Rgb): Rgb {
  if (contrast(fill, preferred) >= 4.5) return preferred;
  const [black, white]: [Rgb, Rgb] = [
    [0, 0, 0],
    [255, 255, 255],
  ];
  return contrast(fill, black) >= contrast(fill, white) ? black : white;
}
