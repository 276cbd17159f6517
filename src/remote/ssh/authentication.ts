/** Proving who we are to one hop: what is tried, in which order, and what to say when nothing worked. */
import type { AnyAuthMethod, ParsedKey } from "ssh2";
import { printableLines } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import type { Prompter } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import type { ConnectionMemory } from "../transport/transport.ts";
import { agentFor } from "./agent.ts";
import type { HostConfiguration } from "./config/configuration.ts";
import { readPlain } from "./config/plainFile.ts";
import { type HopName, hopRoute, sshArguments } from "./errors.ts";
import { knownHostName } from "./hostKeys/knownHosts.ts";
import { loadSsh2 } from "./ssh2.ts";

const TRIES = 3;
/** More than any login asks; what a server says is shown to a person. */
const MOST_PROMPTS = 10;
const MOST_TEXT = 2_000;

/** What one hop's login needs; `prompter` is undefined where nobody may be asked. */
export interface AuthOptions {
  readonly config: HostConfiguration;
  readonly hop: HopName;
  readonly prompter: Prompter | undefined;
  readonly memory: ConnectionMemory;
}

export interface Authentication {
  /** The next thing to try among the methods the server still takes; undefined: nothing is left. */
  next(methodsLeft: readonly string[]): Promise<AnyAuthMethod | undefined>;
  /** The server let us in by the method tried last: what a person typed for it may serve a reconnect. */
  succeeded(): void;
  /** Why nobody was let in, naming the hop, the user and what was tried. */
  failure(): UserError;
}

interface Attempt {
  readonly auth: AnyAuthMethod;
  readonly method: "none" | "publickey" | "keyboard-interactive" | "password";
  readonly label: string;
  readonly onSuccess?: () => void;
}

interface KeyFile {
  readonly path: string;
  readonly data: Buffer;
  readonly isDefault: boolean;
  /** undefined: a passphrase is needed. */
  readonly key: ParsedKey | undefined;
}

export async function authentication(options: AuthOptions): Promise<Authentication> {
  const tried: string[] = [];
  const notes: string[] = [];
  const state: { methods: readonly string[]; last: Attempt | undefined } = { methods: [], last: undefined };
  const takes = (method: string): boolean => state.methods.includes(method);
  const source = attempts(options, takes, notes);
  return {
    async next(methodsLeft) {
      state.methods = methodsLeft;
      const step = await source.next();
      state.last = step.done === true ? undefined : step.value;
      if (state.last === undefined) return undefined;
      if (state.last.method !== "none") tried.push(state.last.label);
      return state.last.auth;
    },
    succeeded() {
      state.last?.onSuccess?.();
    },
    failure() {
      return authFailure(options, tried, notes, state.methods);
    },
  };
}

/** `takes` says whether the server, as of its latest answer, still takes a method. */
type Takes = (method: string) => boolean;

async function* attempts(options: AuthOptions, takes: Takes, notes: string[]): AsyncGenerator<Attempt, undefined> {
  // Asks the server which methods it takes, so that nobody types a password it would not look at.
  yield { auth: { type: "none", username: options.config.user }, method: "none", label: "" };
  yield* keyAttempts(options, takes, notes);
  const person = { declined: false };
  for (let attempt = 1; attempt <= TRIES && takes("keyboard-interactive"); attempt++) {
    const next = keyboardInteractive(options, attempt, () => {
      person.declined = true;
    });
    if (next === undefined) break;
    yield next;
    if (person.declined) return undefined;
  }
  for (let attempt = 1; attempt <= TRIES && takes("password"); attempt++) {
    const next = await password(options, attempt);
    if (next === undefined) break;
    yield next;
  }
  return undefined;
}

/** Configured keys, the agent's, the default ones, and last those for which somebody must type a passphrase. */
async function* keyAttempts(options: AuthOptions, takes: Takes, notes: string[]): AsyncGenerator<Attempt> {
  const keys = await readKeys(options.config, notes);
  const username = options.config.user;
  const asKey = (file: KeyFile, key: ParsedKey): Attempt => ({
    auth: { type: "publickey", username, key },
    method: "publickey",
    label: t("key {0}", file.path),
  });
  const open = (isDefault: boolean): Attempt[] =>
    keys.flatMap((file) => (file.isDefault === isDefault && file.key !== undefined ? [asKey(file, file.key)] : []));

  for (const attempt of open(false)) if (takes("publickey")) yield attempt;
  const agent = takes("publickey") ? await agentFor(options.config, notes) : undefined;
  if (agent !== undefined) {
    yield { auth: { type: "agent", username, agent: agent.agent }, method: "publickey", label: agent.label };
  }
  for (const attempt of open(true)) if (takes("publickey")) yield attempt;
  for (const file of keys.filter((candidate) => candidate.key === undefined)) {
    if (!takes("publickey")) return;
    const key = await unlock(file, options, notes);
    if (key !== undefined) yield asKey(file, key);
  }
}

async function readKeys(config: HostConfiguration, notes: string[]): Promise<readonly KeyFile[]> {
  const { utils } = await loadSsh2();
  const files: KeyFile[] = [];
  for (const { path, isDefault } of config.identityFiles) {
    let data: Buffer;
    try {
      data = await readPlain(path);
    } catch (error) {
      if (!isDefault)
        notes.push(t("key {0} cannot be read ({1})", path, (error as NodeJS.ErrnoException).code ?? "error"));
      continue;
    }
    const key = utils.parseKey(data);
    if (!(key instanceof Error)) {
      // A public key here only picks a key of the agent.
      if (key.isPrivateKey()) files.push({ path, data, isDefault, key });
    } else if (/passphrase/i.test(key.message)) {
      files.push({ path, data, isDefault, key: undefined });
    } else {
      notes.push(t("key {0} has a format this extension cannot use", path));
    }
  }
  return files;
}

async function unlock(file: KeyFile, options: AuthOptions, notes: string[]): Promise<ParsedKey | undefined> {
  const { utils } = await loadSsh2();
  const remembered = options.memory.passphrases.get(file.path);
  if (remembered !== undefined) {
    const key = utils.parseKey(file.data, remembered);
    if (!(key instanceof Error)) return key;
  }
  for (let attempt = 1; attempt <= TRIES && options.prompter !== undefined; attempt++) {
    const passphrase = await options.prompter.secret({ kind: "passphrase", keyPath: file.path, attempt });
    if (passphrase === undefined) break;
    const key = utils.parseKey(file.data, passphrase);
    if (!(key instanceof Error)) {
      options.memory.passphrases.set(file.path, passphrase);
      return key;
    }
  }
  notes.push(t("key {0} stayed locked by its passphrase", file.path));
  return undefined;
}

function keyboardInteractive(options: AuthOptions, attempt: number, onDeclined: () => void): Attempt | undefined {
  const { config, hop, prompter, memory } = options;
  const account = accountKey(hop);
  const remembered = memory.answers.get(account);
  if (prompter === undefined && (remembered === undefined || attempt > 1)) return undefined;
  // One round of hidden answers can be given again after a lost connection; anything longer is a person's business.
  const typed: { rounds: (readonly string[])[]; hidden: boolean } = { rounds: [], hidden: true };
  return {
    method: "keyboard-interactive",
    label: "keyboard-interactive",
    onSuccess: () => {
      const [first, ...more] = typed.rounds;
      if (first !== undefined && more.length === 0 && typed.hidden) memory.answers.set(account, first);
    },
    auth: {
      type: "keyboard-interactive",
      username: config.user,
      prompt: (name, instructions, _language, prompts, finish) => {
        if (prompts.length === 0 || prompts.length > MOST_PROMPTS) return finish([]);
        if (prompter === undefined) return finish(remembered?.length === prompts.length ? [...remembered] : []);
        const asked = prompts.map((one) => ({ prompt: shown(one.prompt), echo: one.echo === true }));
        prompter
          .keyboardInteractive({
            user: hop.user,
            host: knownHostName(hop.host, hop.port),
            name: shown(name),
            instructions: shown(instructions),
            prompts: asked,
          })
          .then((answers) => {
            typed.hidden = typed.hidden && asked.every((one) => !one.echo);
            if (answers === undefined) onDeclined();
            else typed.rounds.push(answers);
            finish([...(answers ?? [])]);
          })
          .catch(() => finish([]));
      },
    },
  };
}

async function password(options: AuthOptions, attempt: number): Promise<Attempt | undefined> {
  const { config, hop, prompter, memory } = options;
  const account = accountKey(hop);
  const asked =
    prompter === undefined
      ? attempt === 1
        ? memory.passwords.get(account)
        : undefined
      : await prompter.secret({ kind: "password", user: hop.user, host: knownHostName(hop.host, hop.port), attempt });
  if (asked === undefined) return undefined;
  return {
    method: "password",
    label: "password",
    onSuccess: () => memory.passwords.set(account, asked),
    auth: { type: "password", username: config.user, password: asked },
  };
}

function shown(text: string): string {
  return printableLines(text.slice(0, MOST_TEXT));
}

function accountKey(hop: HopName): string {
  return `${hop.user}@${hop.host}:${hop.port}`;
}

function authFailure(
  options: AuthOptions,
  tried: readonly string[],
  notes: readonly string[],
  methods: readonly string[],
): UserError {
  const counts = new Map<string, number>();
  for (const label of tried) counts.set(label, (counts.get(label) ?? 0) + 1);
  const list = [...counts].map(([label, count]) => (count === 1 ? label : t("{0} ({1} times)", label, count)));
  const what = list.length === 0 ? t("Nothing could be tried") : t("Tried: {0}", list.join(t(", ")));
  const more = notes.length === 0 ? "" : t(" Also: {0}.", notes.join(t("; ")));
  const takes = methods.length === 0 ? "" : t(" The server takes: {0}.", shown(methods.join(", ")).slice(0, 200));
  return new UserError(
    "auth-failed",
    t("{0} did not let user {1} in. {2}.{3}{4}", hopRoute(options.hop), options.hop.user, what, takes, more),
    t(
      'Check the user name and the password or key; "ssh-copy-id {0}" installs your key there.',
      sshArguments(options.hop),
    ),
  );
}
