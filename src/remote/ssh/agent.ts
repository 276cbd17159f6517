/** The keys a running ssh-agent holds, narrowed to the configured ones where IdentitiesOnly says so. */
import type { BaseAgent, ParsedKey } from "ssh2";
import { t } from "../../words/t.ts";
import type { HostConfiguration } from "./config/configuration.ts";
import { readPlain } from "./config/plainFile.ts";
import { CONNECT_TIMEOUT } from "./deadline.ts";
import { loadSsh2, type Ssh2 } from "./ssh2.ts";

export interface AgentKeys {
  readonly agent: BaseAgent;
  readonly label: string;
}

/** undefined where there is no agent, it does not answer, or it holds no key that may be offered. */
export async function agentFor(config: HostConfiguration, notes: string[]): Promise<AgentKeys | undefined> {
  if (config.agent === undefined) return undefined;
  const ssh2 = await loadSsh2();
  const agent = ssh2.createAgent(config.agent);
  let identities: readonly ParsedKey[];
  try {
    // So that the keys after it, and a password, still have their turn.
    identities = await identitiesOf(agent, (config.connectTimeout ?? CONNECT_TIMEOUT) / 3);
  } catch {
    notes.push(t("the agent at {0} did not answer", config.agent));
    return undefined;
  }
  if (!config.identitiesOnly) return identities.length === 0 ? undefined : labelled(agent, identities.length);
  const wanted = await publicKeys(config, ssh2);
  const chosen = identities.filter((key) => wanted.some((blob) => blob.equals(key.getPublicSSH())));
  return chosen.length === 0 ? undefined : labelled(narrowed(ssh2, agent, chosen), chosen.length);
}

function labelled(agent: BaseAgent, count: number): AgentKeys {
  return { agent, label: count === 1 ? t("agent (1 key)") : t("agent ({0} keys)", count) };
}

function identitiesOf(agent: BaseAgent, limitMs: number): Promise<readonly ParsedKey[]> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("it hangs")), limitMs);
    agent.getIdentities((error, keys) => {
      clearTimeout(timer);
      if (error !== undefined && error !== null) reject(error);
      else resolve((keys ?? []) as ParsedKey[]);
    });
  });
}

/** An agent that shows only `keys` and signs with the real one. ssh2 takes nothing but its own class here. */
function narrowed(ssh2: Ssh2, agent: BaseAgent, keys: readonly ParsedKey[]): BaseAgent {
  const shown: BaseAgent = Object.create(ssh2.BaseAgent.prototype);
  shown.getIdentities = (callback) => callback(undefined, [...keys]);
  shown.sign = agent.sign.bind(agent);
  return shown;
}

/** Public halves of the configured identity files: the file's own where it is readable, else `<file>.pub`. */
async function publicKeys(config: HostConfiguration, ssh2: Ssh2): Promise<readonly Buffer[]> {
  const blobs: Buffer[] = [];
  for (const { path } of config.identityFiles) {
    for (const file of [path, `${path}.pub`]) {
      const data = await readPlain(file).catch(() => undefined);
      const key = data === undefined ? undefined : ssh2.utils.parseKey(data);
      if (key !== undefined && !(key instanceof Error)) {
        blobs.push(key.getPublicSSH());
        break;
      }
    }
  }
  return blobs;
}
