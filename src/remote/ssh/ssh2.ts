/** ssh2 takes up to 100 ms to load, so it is loaded when a board is first reached. */
export type Ssh2 = typeof import("ssh2");

export async function loadSsh2(): Promise<Ssh2> {
  const module = await import("ssh2");
  // Under plain Node the CommonJS exports are on `default`; a bundle gives them as they are.
  return (module as Ssh2 & { default?: Ssh2 }).default ?? module;
}
