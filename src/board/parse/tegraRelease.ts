/** /etc/nv_tegra_release. Its `BOARD:` is not to be trusted. */

/** The L4T release, `32.7.1`; undefined where the text has none. */
export function parseTegraRelease(text: string): string | undefined {
  const [, major, revision] =
    /#\s*R(\d{1,3}) \(release\), REVISION:\s*(\d[\d.]{0,15})/.exec(text.slice(0, 4_096)) ?? [];
  return major === undefined || revision === undefined ? undefined : `${major}.${revision.replace(/\.+$/, "")}`;
}
