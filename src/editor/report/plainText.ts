/** For quick picks and the status bar, where `$(name)` would be an icon. */
export function withoutIcons(text: string): string {
  return text.replaceAll("$(", "$ (");
}

/**
 * Untrusted text for a notification: control characters become spaces, `[text](link)`, which VS Code would make
 * clickable, is taken apart, and what is longer than `most` characters is cut.
 */
export function plainText(text: string, most: number): string {
  const flat = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ").replaceAll("](", "] (");
  return flat.length <= most ? flat.trim() : `${flat.slice(0, most - 1).trim()}…`;
}
