/**
 * Untrusted text for a notification: control characters become spaces, `[text](link)`, which VS Code would make
 * clickable, is taken apart, and what is longer than `most` characters is cut.
 */
export function plainText(text: string, most: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced here
  const flat = text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, " ").replaceAll("](", "] (");
  return flat.length <= most ? flat.trim() : `${flat.slice(0, most - 1).trim()}…`;
}
