/** A property of the device tree: strings, each ended by a NUL. */
export function deviceTreeStrings(text: string): readonly string[] {
  return text
    .slice(0, 4_096)
    .split("\0")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
