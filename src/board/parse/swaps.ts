/** /proc/swaps. */

export interface SwapArea {
  readonly path: string;
  /** `zram` lies in RAM itself, compressed. */
  readonly kind: "zram" | "file" | "partition";
  /** Bytes. */
  readonly size: number;
  readonly used: number;
  readonly priority: number;
}

const TEXT_LIMIT = 64 * 1024;
const ROW = /^(\/\S{0,4096})\s+(file|partition)\s+(\d{1,15})\s+(\d{1,15})\s+(-?\d{1,6})\s*$/;

export function parseSwaps(text: string): readonly SwapArea[] {
  return text
    .slice(0, TEXT_LIMIT)
    .split("\n")
    .flatMap((line): SwapArea[] => {
      const [, path, kind, size, used, priority] = ROW.exec(line) ?? [];
      if (path === undefined) return [];
      return [
        {
          path: unescaped(path),
          kind: /^\/dev\/(?:block\/)?zram\d+$/.test(path) ? "zram" : kind === "file" ? "file" : "partition",
          size: Number(size) * 1024,
          used: Number(used) * 1024,
          priority: Number(priority),
        },
      ];
    });
}

/** The kernel writes spaces and the like in octal, `\040`. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
