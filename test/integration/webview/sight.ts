/**
 * How colors look to people who see fewer of them, and how far apart two look.
 * The matrices are those of Machado, Oliveira and Fernandes (2009) at full severity, over linear RGB.
 */
import type { Rgb } from "../../../webview/flame/color.ts";

type Row = readonly [number, number, number];
type Matrix = readonly [Row, Row, Row];

export const SIGHTS: Readonly<Record<"usual" | "protanopia" | "deuteranopia" | "tritanopia", Matrix>> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

export type Sight = keyof typeof SIGHTS;

const dot = (row: Row, [r, g, b]: Row): number => row[0] * r + row[1] * g + row[2] * b;

function linear(value: number): number {
  const v = value / 255;
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
}

/** CIE L*a*b* under D65 of a color as it is seen. */
function labOf([r, g, b]: Rgb, sight: Sight): Row {
  const light: Row = [linear(r), linear(g), linear(b)];
  const bounded = (value: number): number => Math.min(1, Math.max(0, value));
  const [one, two, three] = SIGHTS[sight];
  const seen: Row = [bounded(dot(one, light)), bounded(dot(two, light)), bounded(dot(three, light))];
  const curve = (value: number): number => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
  const x = curve(dot([0.4124564, 0.3575761, 0.1804375], seen) / 0.95047);
  const y = curve(dot([0.2126729, 0.7151522, 0.072175], seen));
  const z = curve(dot([0.0193339, 0.119192, 0.9503041], seen) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** ΔE*ab (CIE 1976): about 2 can just be seen side by side. */
export function difference(a: Rgb, b: Rgb, sight: Sight): number {
  const [p, q] = [labOf(a, sight), labOf(b, sight)];
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}
