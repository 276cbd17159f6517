/** SSH failures in words a person can act on. */

import { printableLines } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";

/** How a hop is named in messages: `nano@10.0.0.2`, with the port where it is not 22, and the way there. */
export interface HopName {
  readonly user: string;
  readonly host: string;
  readonly port: number;
  /** Names of the hops before it, outermost first. */
  readonly via: readonly string[];
}

export function hopLabel(hop: HopName): string {
  const host = hop.host.includes(":") ? `[${hop.host}]` : hop.host;
  return `${hop.user}@${host}${hop.port === 22 ? "" : `:${hop.port}`}`;
}

/** The hop as arguments of ssh or ssh-copy-id, for a hint that can be pasted. */
export function sshArguments(hop: HopName): string {
  return `${hop.port === 22 ? "" : `-p ${hop.port} `}${hop.user}@${hop.host}`;
}

/** The label with the way there, for a chain of several hops. */
export function hopRoute(hop: HopName): string {
  return hop.via.length === 0 ? hopLabel(hop) : t("{0} (reached through {1})", hopLabel(hop), hop.via.join(t(", ")));
}

/** What went wrong in ssh2's words, which may be the server's own: a sentence, safe to show, and not endless. */
export function said(error: Error): string {
  const text = printableLines(error.message).trim().slice(0, 300);
  return /[.!?…。！？]$/.test(text) ? text : `${text}.`;
}

interface SshFailure extends Error {
  readonly level?: string;
  readonly code?: string | number;
  readonly reason?: number | string;
}

export function connectError(hop: HopName, error: Error): UserError {
  if (error instanceof UserError) return error;
  const { code, level } = error as SshFailure;
  const where = hopRoute(hop);
  const made = (id: string, message: string, hint: string): UserError =>
    new UserError(id, message, hint, { cause: error });
  switch (code) {
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EAI_NONAME":
      return made(
        "host-not-found",
        t("There is no host called {0}.", hop.host),
        t("Check the spelling, or use the board's IP address (on the board: hostname -I)."),
      );
    case "ECONNREFUSED":
      return made(
        "connection-refused",
        t("{0} refused the connection on port {1}.", where, hop.port),
        t("Check the port, and that the SSH server runs on the board: sudo systemctl status ssh"),
      );
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "EHOSTDOWN":
    case "EADDRNOTAVAIL":
      return made(
        "host-unreachable",
        t("{0} cannot be reached from here.", where),
        t("Check that the board is switched on and in the same network or VPN."),
      );
    case "ETIMEDOUT":
      return timeoutError(hop, error);
  }
  if (/Too many authentication failures/i.test(error.message)) {
    return made(
      "auth-failed",
      t("{0} ended the login: too many keys or passwords were tried.", where),
      t("Name the right key for this host in ~/.ssh/config (IdentityFile with IdentitiesOnly yes)."),
    );
  }
  if (/no matching/i.test(error.message)) {
    return made(
      "no-common-algorithm",
      t("{0} and this extension have no encryption in common: {1}", where, said(error)),
      t("Update the SSH server on the board (sudo apt install --only-upgrade openssh-server)."),
    );
  }
  if (code === "ECONNRESET" || code === "EPIPE" || level === "handshake" || level === "protocol") {
    return made(
      "handshake-failed",
      t("The SSH connection to {0} broke off while being set up: {1}", where, said(error)),
      t("Check that port {0} is an SSH server and that it does not block this machine.", hop.port),
    );
  }
  return made("connect-failed", t("The connection to {0} failed: {1}", where, said(error)), t("Try again."));
}

export function timeoutError(hop: HopName, cause?: Error): UserError {
  return new UserError(
    "connect-timeout",
    t("{0} did not answer in time on port {1}.", hopRoute(hop), hop.port),
    t("Check the address, that the board is switched on, and that no firewall is in between."),
    cause === undefined ? undefined : { cause },
  );
}

export function lostError(hop: HopName, cause?: Error): UserError {
  return new UserError(
    "connection-lost",
    cause === undefined
      ? t("The connection to {0} was lost.", hopRoute(hop))
      : t("The connection to {0} was lost: {1}", hopRoute(hop), said(cause)),
    t("Check the network and the board's power."),
    cause === undefined ? undefined : { cause },
  );
}
