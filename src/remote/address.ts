/** The target as a person writes it: `local`, `loopback`, `ssh://user@host:port`, `user@host[:port]` or an alias. */
import { defined } from "../profile/defined.ts";
import { printable } from "../profile/text/text.ts";
import { UserError } from "../profile/userError.ts";
import type { TargetAddress } from "../protocol/run/run.ts";
import { phrase, say, t } from "../words/t.ts";

const FORMS = phrase(
  "Write the target as user@host, user@host:port, ssh://user@host:port or a name from ~/.ssh/config.",
);

/** Throws `UserError` `bad-target` when the text names no target that can be reached safely. */
export function parseTarget(text: string): TargetAddress {
  const trimmed = text.trim();
  if (trimmed === "") throw bad(t("No target was given."));
  if (trimmed === "local") return { kind: "local" };
  if (trimmed === "loopback") return { kind: "loopback" };

  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(trimmed);
  if (scheme !== null && scheme[1]?.toLowerCase() !== "ssh") {
    throw bad(t('The target "{0}" begins with {1}, which this extension cannot reach.', shown(trimmed), scheme[0]));
  }
  const rest = scheme === null ? trimmed : trimmed.slice(scheme[0].length).replace(/\/$/, "");
  const at = rest.lastIndexOf("@");
  const user = at < 0 ? undefined : rest.slice(0, at);
  const { host, portText } = splitPort(rest.slice(at + 1), trimmed);
  checkName(host, t("host name"), trimmed);
  if (user !== undefined) checkName(user, t("user name"), trimmed);
  const port = portText === undefined ? undefined : parsePort(portText, trimmed);
  return {
    kind: "ssh",
    host,
    ...defined({ user, port }),
  };
}

/** The inverse of `parseTarget`. */
export function formatTarget(address: TargetAddress): string {
  if (address.kind !== "ssh") return address.kind;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  const user = address.user === undefined ? "" : `${address.user}@`;
  const port = address.port === undefined ? "" : `:${address.port}`;
  return `ssh://${user}${host}${port}`;
}

function splitPort(text: string, whole: string): { host: string; portText: string | undefined } {
  if (text.startsWith("[")) {
    const match = /^\[([^\]]*)\](?::(.*))?$/s.exec(text);
    if (match === null) throw bad(t('The brackets in the target "{0}" do not match.', shown(whole)));
    // OpenSSH itself prints [name]:port for any host, in ProxyJump for one.
    return { host: match[1] ?? "", portText: match[2] };
  }
  const colons = text.split(":").length - 1;
  if (colons > 1) {
    throw bad(
      t('The target "{0}" has an IPv6 address without brackets.', shown(whole)),
      t("Write it as user@[fe80::1]:22."),
    );
  }
  const colon = text.indexOf(":");
  return colon < 0
    ? { host: text, portText: undefined }
    : { host: text.slice(0, colon), portText: text.slice(colon + 1) };
}

function parsePort(text: string, whole: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65535) {
    throw bad(
      t('"{0}" in the target "{1}" is not a port.', shown(text), shown(whole)),
      t("A port is a number from 1 to 65535; SSH uses 22."),
    );
  }
  return port;
}

function checkName(name: string, what: string, whole: string): void {
  if (name === "") throw bad(t('The target "{0}" has no {1}.', shown(whole), what));
  // A leading dash would be read as an option by ssh.
  if (name.startsWith("-")) throw bad(t('The {0} in the target "{1}" begins with "-".', what, shown(whole)));
  // Characters that do not show (format, control, direction) would make one host look like another.
  if (/[\s\p{Cc}\p{Cf}\p{Cs}"'`$;&|<>()\\*?{}!#,/]/u.test(name)) {
    throw bad(t('The {0} in the target "{1}" has a character that no {0} can have.', what, shown(whole)));
  }
}

function shown(text: string): string {
  return printable(text).slice(0, 120);
}

function bad(message: string, hint = say(FORMS)): UserError {
  return new UserError("bad-target", message, hint);
}
