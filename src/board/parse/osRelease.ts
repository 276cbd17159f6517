/** /etc/os-release. */

export interface OsRelease {
  /** `ubuntu`, `debian`, `fedora`, … */
  readonly id?: string;
  /** What it is derived from. */
  readonly like: readonly string[];
  /** `18.04`. */
  readonly version?: string;
  /** `Ubuntu 18.04.6 LTS`. */
  readonly name?: string;
}

const TEXT_LIMIT = 64 * 1024;

export function parseOsRelease(text: string): OsRelease {
  const values = new Map<string, string>();
  for (const line of text.slice(0, TEXT_LIMIT).split("\n")) {
    const [, key, value] = /^([A-Z_]{1,40})=(.{0,300})$/.exec(line.trim()) ?? [];
    if (key !== undefined && value !== undefined) values.set(key, value.replace(/^(["'])(.*)\1$/, "$2"));
  }
  const id = values.get("ID");
  const version = values.get("VERSION_ID");
  const name = values.get("PRETTY_NAME");
  return {
    ...(id ? { id } : {}),
    like: (values.get("ID_LIKE") ?? "").split(" ").filter((item) => item !== ""),
    ...(version ? { version } : {}),
    ...(name ? { name } : {}),
  };
}
