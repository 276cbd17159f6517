/** One line of tegrastats, of any release. Every field but RAM is optional. Sizes are bytes, power milliwatts. */
export interface Tegrastats {
  readonly ramUsed: number;
  readonly ramTotal: number;
  /** Largest free blocks: how many, and how large each. */
  readonly lfb?: { readonly count: number; readonly bytes: number };
  readonly swap?: { readonly used: number; readonly total: number; readonly cached: number };
  readonly iram?: { readonly used: number; readonly total: number };
  /** In the order of the cores; `off` where a core is switched off. Load 0 to 1. */
  readonly cpus: readonly ("off" | { readonly load: number; readonly mhz?: number })[];
  /** Load of the GPU, 0 to 1; absent where the line has only its frequencies (Thor). */
  readonly gpu?: { readonly load?: number; readonly mhz: readonly number[] };
  readonly emc?: { readonly load: number; readonly mhz?: number };
  /** Degrees Celsius by the sensor's name; a sensor that is off is left out. */
  readonly temperatures: Readonly<Record<string, number>>;
  readonly power: readonly { readonly rail: string; readonly now: number; readonly average: number }[];
}
