/** What OpenSSH would do for a host: asked of `ssh -G`, or read from ~/.ssh/config where there is no ssh. */
import { execFile } from "node:child_process";
import { homedir, userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { defined } from "../../../profile/defined.ts";
import { printable } from "../../../profile/text/text.ts";
import { UserError } from "../../../profile/userError.ts";
import type { TargetAddress } from "../../../protocol/run/run.ts";
import { t } from "../../../words/t.ts";
import type { StrictHostKeyChecking } from "../hostKeys/hostKeyPolicy.ts";
import { ALGORITHM_KINDS, type AlgorithmKind, type AlgorithmSettings } from "./algorithms.ts";
import { readConfigLines, words } from "./configFile.ts";

export type SshAddress = Omit<Extract<TargetAddress, { kind: "ssh" }>, "kind">;

export interface HostConfiguration {
  /** What the user typed: an alias or a host name. */
  readonly alias: string;
  readonly hostName: string;
  readonly port: number;
  readonly user: string;
  /** Absolute paths. `isDefault` marks the names OpenSSH tries without being told. */
  readonly identityFiles: readonly { readonly path: string; readonly isDefault: boolean }[];
  /** Socket or pipe of the agent; undefined: there is none or it is switched off. */
  readonly agent: string | undefined;
  readonly identitiesOnly: boolean;
  /** Jump hosts in the order they are passed. */
  readonly proxyJump: readonly string[];
  readonly proxyCommand: string | undefined;
  readonly userKnownHostsFiles: readonly string[];
  readonly globalKnownHostsFiles: readonly string[];
  /** Lists of keys that no host may have. */
  readonly revokedHostKeysFiles: readonly string[];
  readonly hostKeyAlias: string | undefined;
  readonly strictHostKeyChecking: StrictHostKeyChecking;
  readonly algorithms: AlgorithmSettings;
  readonly hashKnownHosts: boolean;
  /** Milliseconds. */
  readonly connectTimeout: number | undefined;
  /** Milliseconds; undefined: not set by the user. */
  readonly keepAliveInterval: number | undefined;
  /** The file has a `Match exec`, which nobody answered: there is no ssh to do it. */
  readonly passesOverMatchExec: boolean;
}

/** Configuration values by lower-case name, each in the order given. */
type RawValues = ReadonlyMap<string, readonly string[]>;

/** An explicit user or port in `address` wins over the configuration. */
export async function hostConfiguration(address: SshAddress, signal: AbortSignal): Promise<HostConfiguration> {
  const answered = await askSsh(address, signal);
  return answered === undefined ? await configurationFromFile(address) : interpret(address, answered);
}

/** undefined where no ssh is installed. */
async function askSsh(address: SshAddress, signal: AbortSignal): Promise<RawValues | undefined> {
  const options = [
    ...(address.user === undefined ? [] : ["-l", address.user]),
    ...(address.port === undefined ? [] : ["-p", String(address.port)]),
  ];
  const [configured, builtIn] = await Promise.all([
    printed([...options, "--", address.host], address, signal),
    // A wrapper around ssh may refuse it: what is printed then counts as configured.
    printed(["-F", "none", "--", address.host], address, signal).catch(() => undefined),
  ]);
  if (configured === undefined) return undefined;
  // ssh prints its own lists of algorithms where nobody configured any, and those of an old one hold outdated names.
  const raw = new Map(configured);
  for (const kind of ALGORITHM_KINDS) if (raw.get(kind)?.[0] === builtIn?.get(kind)?.[0]) raw.delete(kind);
  return raw;
}

/** What `ssh -G` prints; undefined where no ssh is installed. */
function printed(args: readonly string[], address: SshAddress, signal: AbortSignal): Promise<RawValues | undefined> {
  return new Promise((resolve, reject) => {
    execFile(
      "ssh",
      ["-G", ...args],
      // Windows looks for a program in the working folder first, which may be somebody else's project.
      { cwd: homedir(), timeout: 10_000, maxBuffer: 1 << 20, windowsHide: true, signal },
      (error, stdout, stderr) => {
        if (error === null) return resolve(parseSshG(stdout));
        if (error.code === "ENOENT") return resolve(undefined);
        if (signal.aborted) return reject(signal.reason);
        const said = stderr.trim().split("\n").at(-1) ?? "";
        reject(
          new UserError(
            "ssh-config",
            t(
              "Your SSH configuration could not be read for {0}: {1}",
              address.host,
              said === "" ? error.message : said,
            ),
            t('Run "ssh -G {0}" in a terminal and correct what it complains of.', address.host),
            { cause: error },
          ),
        );
      },
    );
  });
}

export function parseSshG(text: string): RawValues {
  const values = new Map<string, string[]>();
  for (const line of text.split(/\r?\n/)) {
    const space = line.indexOf(" ");
    if (space < 1) continue;
    const name = line.slice(0, space).toLowerCase();
    const list = values.get(name) ?? [];
    list.push(line.slice(space + 1).trim());
    values.set(name, list);
  }
  return values;
}

/**
 * What ~/.ssh/config says, as where no ssh is installed.
 * @throws UserError `ssh-config`
 */
export async function configurationFromFile(address: SshAddress): Promise<HostConfiguration> {
  const { default: SshConfig } = await import("ssh-config");
  let computed: Record<string, string | string[]>;
  let lines: readonly string[];
  try {
    lines = await readConfigLines();
    const config = SshConfig.parse(lines.map(quickPatterns).join("\n"));
    // It would run a command from the file through a shell.
    computed = config.compute(
      { Host: address.host, ...defined({ User: address.user }) },
      { ignoreCase: true, matchExec: false },
    );
  } catch (error) {
    throw new UserError(
      "ssh-config",
      t("~/.ssh/config could not be read: {0}", (error as Error).message),
      t("Correct the file, or install the ssh command."),
      { cause: error },
    );
  }
  const raw: RawValues = new Map(
    Object.entries(computed).map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value : [value]]),
  );
  const passesOverMatchExec = lines.some((line) => /^\s*match\b.*\bexec\b/i.test(line));
  return { ...interpret(address, raw), passesOverMatchExec };
}

/** More could take the library's regular expressions hours on one name. */
const MOST_STARS = 8;

/** The line with patterns that mean the same and are matched at once. Throws where there are none. */
function quickPatterns(line: string): string {
  if (!/^\s*(host|match)\b/i.test(line)) return line;
  const quick = line.replace(/\*{2,}/g, "*");
  if (quick.split(/[\s,"]+/).some((word) => word.split("*").length > MOST_STARS + 1)) {
    throw new Error(t("a pattern has more than {0} stars: {1}", MOST_STARS, printable(line.trim()).slice(0, 200)));
  }
  return quick;
}

const DEFAULT_KEYS = ["id_rsa", "id_ecdsa", "id_ed25519"];
const DEFAULT_KEY_NAMES = new Set([...DEFAULT_KEYS, "id_ecdsa_sk", "id_ed25519_sk", "id_xmss", "id_dsa"]);

export function interpret(address: SshAddress, raw: RawValues): HostConfiguration {
  const one = (name: string): string | undefined => {
    const value = raw.get(name)?.[0]?.trim();
    return value === undefined || value === "" || value.toLowerCase() === "none" ? undefined : unquote(value);
  };
  const hostName = (one("hostname") ?? address.host).replaceAll("%h", address.host).replaceAll("%%", "%");
  const port = address.port ?? portOf(one("port"), address.host);
  const user = address.user ?? one("user") ?? userInfo().username;
  const expand = (text: string): string => expandPath(text, { host: hostName, alias: address.host, port, user });
  const files = (name: string, fallback: readonly string[]): readonly string[] => {
    const names = (raw.get(name) ?? []).flatMap(fileNames);
    if (names.length === 0) return fallback;
    return names.filter((file) => file.toLowerCase() !== "none").map(expand);
  };
  const list = (name: AlgorithmKind): readonly string[] => one(name)?.split(",") ?? [];
  const ssh = join(homedir(), ".ssh");
  const identities = raw.get("identityfile") ?? DEFAULT_KEYS.map((name) => join(ssh, name));
  const seconds = (name: string): number | undefined => {
    const value = numberOf(one(name));
    return value === undefined || value === 0 ? undefined : value * 1000;
  };
  return {
    alias: address.host,
    hostName,
    port,
    user,
    identityFiles: identities
      .filter((file) => file.toLowerCase() !== "none")
      .map((file) => expand(unquote(file)))
      .map((path) => ({ path, isDefault: dirname(path) === ssh && DEFAULT_KEY_NAMES.has(basename(path)) })),
    agent: agentPath(raw.get("identityagent")?.[0], expand),
    identitiesOnly: isYes(one("identitiesonly")),
    proxyJump:
      one("proxyjump")
        ?.split(",")
        .map((hop) => hop.trim()) ?? [],
    proxyCommand: one("proxycommand"),
    userKnownHostsFiles: files("userknownhostsfile", [join(ssh, "known_hosts"), join(ssh, "known_hosts2")]),
    globalKnownHostsFiles: files("globalknownhostsfile", ["/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"]),
    revokedHostKeysFiles: files("revokedhostkeys", []),
    hostKeyAlias: one("hostkeyalias"),
    strictHostKeyChecking: strictness(one("stricthostkeychecking")),
    algorithms: {
      hostkeyalgorithms: list("hostkeyalgorithms"),
      kexalgorithms: list("kexalgorithms"),
      ciphers: list("ciphers"),
      macs: list("macs"),
    },
    hashKnownHosts: isYes(one("hashknownhosts")),
    connectTimeout: seconds("connecttimeout"),
    keepAliveInterval: seconds("serveraliveinterval"),
    passesOverMatchExec: false,
  };
}

/**
 * The file names in a value. `ssh -G` prints several without quotes on one line, also where a name has spaces in it: a
 * word that begins no path belongs to the one before it.
 */
function fileNames(value: string): readonly string[] {
  if (value.includes('"')) return words(value);
  const names: string[] = [];
  for (const part of value.trim().split(/(?<=\s)(?=\S)/)) {
    const begins =
      /^([/~%]|\$\{|\\\\|[A-Za-z]:[\\/]|__PROGRAMDATA__)/.test(part) || part.trim().toLowerCase() === "none";
    if (begins || names.length === 0) names.push(part);
    else names.push(`${names.pop()}${part}`);
  }
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

/** `ssh -G` prints true/false for some of what the file calls yes/no. */
function strictness(value: string | undefined): StrictHostKeyChecking {
  switch (value?.toLowerCase()) {
    case "yes":
    case "true":
      return "yes";
    case "accept-new":
      return "accept-new";
    case "no":
    case "false":
    case "off":
      return "no";
    default:
      return "ask";
  }
}

function isYes(value: string | undefined): boolean {
  return value?.toLowerCase() === "yes" || value?.toLowerCase() === "true";
}

function agentPath(setting: string | undefined, expand: (text: string) => string): string | undefined {
  const value = setting === undefined ? undefined : unquote(setting.trim());
  if (value === undefined || value === "" || value === "SSH_AUTH_SOCK") {
    const socket = process.env["SSH_AUTH_SOCK"];
    if (socket !== undefined && socket !== "") return socket;
    return process.platform === "win32" ? "\\\\.\\pipe\\openssh-ssh-agent" : undefined;
  }
  if (value.toLowerCase() === "none") return undefined;
  return value.startsWith("$") && !value.startsWith("${") ? process.env[value.slice(1)] : expand(value);
}

/** `~`, `${NAME}` and the tokens ssh_config(5) allows in file names. */
function expandPath(
  text: string,
  tokens: { readonly host: string; readonly alias: string; readonly port: number; readonly user: string },
): string {
  const home = homedir();
  const byToken: Readonly<Record<string, string>> = {
    "%%": "%",
    "%d": home,
    "%h": tokens.host,
    "%n": tokens.alias,
    "%p": String(tokens.port),
    "%r": tokens.user,
    "%u": userInfo().username,
  };
  return (
    text
      .replace(/^~(?=[\\/]|$)/, () => home)
      // How OpenSSH for Windows writes the folder of its system-wide files.
      .replace(/^__PROGRAMDATA__/, () => process.env["ProgramData"] ?? "C:\\ProgramData")
      .replace(/%[%dhnpru]/g, (token) => byToken[token] ?? token)
      .replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => process.env[name] ?? "")
  );
}

function unquote(text: string): string {
  return /^".*"$/.test(text) ? text.slice(1, -1) : text;
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function portOf(text: string | undefined, host: string): number {
  const port = text === undefined ? 22 : numberOf(text);
  if (port !== undefined && port > 0 && port < 65_536) return port;
  throw new UserError(
    "ssh-config",
    t(
      'Your SSH configuration gives {0} the port "{1}", which is not a port number.',
      host,
      printable(text ?? "").slice(0, 100),
    ),
    t("Correct Port in ~/.ssh/config: a number from 1 to 65535."),
  );
}
