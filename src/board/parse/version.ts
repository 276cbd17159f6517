/** Version numbers. */

/** What the authors call it, of a Debian package's version: `1:3.13.0-2ubuntu2` is `3.13.0`. */
export function upstreamVersion(debian: string): string {
  const withoutEpoch = debian.trim().replace(/^\d+:/, "");
  const revision = withoutEpoch.lastIndexOf("-");
  return revision < 0 ? withoutEpoch : withoutEpoch.slice(0, revision);
}

/** Whether a version such as `3.13.0` comes before another; undefined where it does not begin with numbers. */
export function isOlder(version: string, than: readonly [major: number, minor: number]): boolean | undefined {
  const [, major, minor] = /^(\d{1,6})\.(\d{1,6})/.exec(version) ?? [];
  if (major === undefined || minor === undefined) return undefined;
  return Number(major) < than[0] || (Number(major) === than[0] && Number(minor) < than[1]);
}
