/**
 * Tells the run folders that this account made from those that came with somebody's project: the former carry a seal
 * (HMAC-SHA-256) by a key that lies outside of every project.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { link, readFile, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { makeFolder } from "../../profile/files/makeFolder.ts";
import type { RunOrigin } from "../../profile/model.ts";

const KEY_BYTES = 32;

/** Undefined where no key can be kept: such a run is asked about when it is followed again. */
export async function sealOf(origin: RunOrigin): Promise<string | undefined> {
  const key = (await readKey()) ?? (await makeKey().catch(() => undefined));
  return key && sealBy(key, origin);
}

export async function isSealed(origin: RunOrigin, seal: string | undefined): Promise<boolean> {
  const key = await readKey();
  if (key === undefined || seal === undefined) return false;
  const [own, theirs] = [Buffer.from(sealBy(key, origin)), Buffer.from(seal)];
  return own.length === theirs.length && timingSafeEqual(own, theirs);
}

/** The folder on the board ends with the run's id. */
function sealBy(key: Buffer, { target, boardFolder }: RunOrigin): string {
  return createHmac("sha256", key)
    .update(JSON.stringify([target, boardFolder]))
    .digest("hex");
}

/** $XDG_STATE_HOME/jetson-memprof, as the XDG Base Directory Specification has it. */
function keyFolder(): string {
  const state = process.env["XDG_STATE_HOME"] ?? "";
  return join(isAbsolute(state) ? state : join(homedir(), ".local", "state"), "jetson-memprof");
}

const keyFile = (): string => join(keyFolder(), "seal.key");

async function readKey(): Promise<Buffer | undefined> {
  try {
    const found = await stat(keyFile());
    if (!found.isFile() || found.size !== KEY_BYTES) return undefined;
    const key = await readFile(keyFile());
    return key.length === KEY_BYTES ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Another program may make it at the same time: the first one's stays. */
async function makeKey(): Promise<Buffer | undefined> {
  const folder = keyFolder();
  await makeFolder(folder);
  const beside = join(folder, `.${randomBytes(6).toString("hex")}`);
  try {
    await writeFile(beside, randomBytes(KEY_BYTES), { mode: 0o600, flag: "wx" });
    await link(beside, keyFile()).catch(() => undefined);
  } finally {
    await rm(beside, { force: true });
  }
  return await readKey();
}
