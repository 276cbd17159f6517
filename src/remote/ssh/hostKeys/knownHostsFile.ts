/** The known_hosts files on this machine: read all, append to the user's own. */
import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { UserError } from "../../../profile/userError.ts";
import { t } from "../../../words/t.ts";
import { readPlain } from "../config/plainFile.ts";
import { formatKnownHost, type KnownHostEntry, parseKnownHosts } from "./knownHosts.ts";

/** A file that is not there counts as empty; one that cannot be read is an error, since it may hold a revocation. */
export async function readKnownHosts(files: readonly string[]): Promise<readonly KnownHostEntry[]> {
  const entries: KnownHostEntry[] = [];
  for (const file of files) {
    try {
      entries.push(...parseKnownHosts((await readPlain(file)).toString("utf8"), file));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "ENOENT" || code === "ENOTDIR") continue;
      throw new UserError(
        "known-hosts-unreadable",
        t("The file of known host keys {0} cannot be read ({1}).", file, code ?? t("unknown reason")),
        t("Make the file readable for your user, then try again."),
        { cause: error },
      );
    }
  }
  return entries;
}

/**
 * The keys of `RevokedHostKeys` files, as entries for every host. As with OpenSSH, a file that cannot be read or
 * understood lets nobody in.
 */
export async function readRevokedKeys(files: readonly string[]): Promise<readonly KnownHostEntry[]> {
  const entries: KnownHostEntry[] = [];
  for (const file of files) {
    const data = await readPlain(file).catch((error: NodeJS.ErrnoException) => {
      throw revokedUnreadable(file, t("cannot be read ({0})", error.code ?? t("unknown reason")), error);
    });
    if (data.subarray(0, 6).toString("latin1") === "SSHKRL") {
      throw revokedUnreadable(file, t("is a binary revocation list, which this extension does not read"));
    }
    // One public key a line, as known_hosts has them after the marker and the host.
    const lines = data.toString("utf8").split(/\r?\n/);
    entries.push(
      ...parseKnownHosts(lines.map((line) => (line.trim() === "" ? "" : `@revoked * ${line}`)).join("\n"), file),
    );
  }
  return entries;
}

function revokedUnreadable(file: string, why: string, cause?: Error): UserError {
  return new UserError(
    "known-hosts-unreadable",
    t("The list of revoked host keys {0} {1}.", file, why),
    t("Correct RevokedHostKeys in your SSH configuration; it takes a text file with one public key per line."),
    cause === undefined ? undefined : { cause },
  );
}

/** Appends one entry; the file is made with mode 0600 and its folder with 0700 where they are missing. */
export async function rememberHostKey(file: string, name: string, key: Buffer, hashed: boolean): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(file, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, 0o600);
    try {
      const { size } = await handle.stat();
      const last = Buffer.alloc(1);
      if (size > 0) await handle.read(last, 0, 1, size - 1);
      const separator = size > 0 && last[0] !== 0x0a ? "\n" : "";
      await handle.appendFile(`${separator}${formatKnownHost(name, key, hashed)}\n`);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new UserError(
      "known-hosts-unwritable",
      t(
        "The host key could not be written to {0} ({1}).",
        file,
        (error as NodeJS.ErrnoException).code ?? t("unknown reason"),
      ),
      t("Make the file writable for your user, then try again."),
      { cause: error },
    );
  }
}
