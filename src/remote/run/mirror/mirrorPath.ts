/** Which files a run folder has, by their names: the board's word is not taken for any other. */

export interface MirrorPlace {
  /** Below the run folder. */
  readonly parts: readonly string[];
  /** The file is added to; others are sent whole. */
  readonly grows: boolean;
}

const GROWING =
  /^((lines|samples|moments|allocator)\.jsonl|stdout\.log|stderr\.log|(massif\.(frames|lines)|model)\.[1-9]\d{0,9}\.jsonl)$/;
const WHOLE =
  /^(run\.json|memory_profiler\.txt|(massif|gpu)\.out\.[1-9]\d{0,9}|(heap|gpu)\.[1-9]\d{0,9}\.json|massif-lines\/[1-9]\d{0,9}\/\d{1,9}\.(before|after)|allocator\.[1-9]\d{0,9}\.\d{1,4}\.pickle)$/;
/** Names that Windows takes for a device, whatever follows the first dot. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)/i;

/**
 * The place of a file below the run folder; undefined where a run folder has no such file. Names that this machine's
 * file system would read differently are refused as well.
 */
export function mirrorPlace(file: string, platform: NodeJS.Platform = process.platform): MirrorPlace | undefined {
  if (file.length > 4096) return undefined;
  const parts = file.split("/");
  if (GROWING.test(file)) return { parts, grows: true };
  if (WHOLE.test(file)) return { parts, grows: false };
  if (parts[0] !== "sources" || parts.length < 2 || parts.length > 64) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
  const hostile = platform === "win32" ? /[\0-\x1f<>:"|?*\\]|[. ]$/ : /\0/;
  const isDevice = (part: string): boolean => platform === "win32" && DEVICE.test(part);
  const sound = parts.every(
    (part) => part !== "" && part !== "." && part !== ".." && !hostile.test(part) && !isDevice(part),
  );
  return sound ? { parts, grows: false } : undefined;
}
