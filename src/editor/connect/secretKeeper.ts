/**
 * Passwords and passphrases that a person chose to remember. They lie in the system's keychain (SecretStorage) and
 * nowhere else; one that is refused is forgotten at once.
 */
import type { SecretQuestion } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";

/** What may be stored: the password for sudo never is. */
export type StorableQuestion = Exclude<SecretQuestion, { readonly kind: "sudo" }>;

/** The part of VS Code's SecretStorage that is needed. */
export interface SecretStore {
  get(key: string): Thenable<string | undefined>;
  store(key: string, value: string): Thenable<void>;
  delete(key: string): Thenable<void>;
}

/** One run's dealings with the stored secrets. */
export interface SecretKeeper {
  /** The stored secret for a first attempt. For a later one the stored secret was refused: it is forgotten. */
  recall(question: StorableQuestion): Promise<string | undefined>;
  /** What a person typed; the newest for each question counts. */
  typed(question: StorableQuestion, secret: string): void;
  /** The typed secrets that were accepted, now that the connection stands. Each is given out once. */
  accepted(): readonly AcceptedSecret[];
}

export interface AcceptedSecret {
  /** For people: `the password of nano@10.0.0.2`. */
  readonly what: string;
  readonly key: string;
  remember(): Promise<void>;
}

export function secretKey(question: StorableQuestion): string {
  return question.kind === "password"
    ? `jetsonMemprof.password:${question.user}@${question.host}`
    : `jetsonMemprof.passphrase:${question.keyPath}`;
}

export function createSecretKeeper(store: SecretStore): SecretKeeper {
  const typed = new Map<string, { readonly what: string; readonly secret: string }>();
  const recalled = new Set<string>();
  return {
    async recall(question) {
      const key = secretKey(question);
      if (question.attempt <= 1 && !recalled.has(key)) {
        recalled.add(key);
        return store.get(key);
      }
      await store.delete(key);
      return undefined;
    },
    typed(question, secret) {
      const what =
        question.kind === "password"
          ? t("the password of {0}@{1}", question.user, question.host)
          : t("the passphrase of {0}", question.keyPath);
      typed.set(secretKey(question), { what, secret });
    },
    accepted() {
      const secrets = [...typed].map(([key, { what, secret }]) => ({
        what,
        key,
        remember: async () => store.store(key, secret),
      }));
      typed.clear();
      return secrets;
    },
  };
}
