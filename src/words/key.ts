/**
 * What a text is found by in the words of another language: short, as the English is in the program already. Two texts
 * of the catalogue never have the same one (scripts/words.mjs sees to it).
 */
export function wordsKey(text: string): string {
  // FNV-1a over UTF-16 units, folded to 24 bits: keys are what compresses worst of the words in the package.
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return ((hash ^ (hash >>> 24)) & 0xffffff).toString(36);
}
