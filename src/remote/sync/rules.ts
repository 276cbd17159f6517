/** What of a project is sent, by the rules that several places have. */
import ignore, { type Ignore } from "ignore";
import { CREDENTIALS } from "./leftOut.ts";

/** `asked-for`: the setting names it. `credential`: for that alone it stays here, which is to be told. */
export type Verdict = "sent" | "asked-for" | "left-out" | "credential";

/** What a folder says of what is in it; undefined where it has no such file. */
export interface OwnRules {
  readonly jetsonignore: string | undefined;
  readonly gitignore: string | undefined;
}

export interface Rules {
  /** Of a path in the project; that of a folder ends with `/`. */
  verdict(path: string): Verdict;
  /** Those of a folder: `base` is its path, which ends with `/` or is empty. */
  below(base: string, own: OwnRules): Rules;
  /** Those below what was asked for. */
  trusting(): Rules;
}

interface Scoped {
  readonly base: string;
  readonly rules: Ignore;
}

interface Layers {
  readonly setting: Ignore;
  readonly credentials: Ignore | undefined;
  /** The innermost first, as in all of git's. */
  readonly jetson: readonly Scoped[];
  readonly git: readonly Scoped[];
}

/** Those of a project's folder. `excludes` are .gitignore patterns that come before all others. */
export function projectRules(excludes: readonly string[]): Rules {
  const credentials = parsed(CREDENTIALS, true);
  return layered({ setting: parsed(excludes.join("\n")), credentials, jetson: [], git: [] });
}

function parsed(text: string, ignorecase = false): Ignore {
  return ignore({ ignorecase, allowRelativePaths: true }).add(text);
}

/** The first that say anything decide. */
function ofProject(layers: readonly Scoped[], path: string): "sent" | "left-out" {
  for (const { base, rules } of layers) {
    const own = rules.test(path.slice(base.length));
    if (own.ignored) return "left-out";
    if (own.unignored) return "sent";
  }
  return "sent";
}

function layered(layers: Layers): Rules {
  const { setting, credentials, jetson, git } = layers;
  return {
    verdict(path) {
      const wanted = setting.test(path);
      if (wanted.ignored) return "left-out";
      if (wanted.unignored) return "asked-for";
      if (ofProject([...jetson, ...git], path) === "left-out") return "left-out";
      return credentials?.test(path).ignored ? "credential" : "sent";
    },
    below(base, { jetsonignore, gitignore }) {
      const scoped = (text: string | undefined): readonly Scoped[] =>
        text === undefined ? [] : [{ base, rules: parsed(text) }];
      if (jetsonignore === undefined && gitignore === undefined) return this;
      return layered({ ...layers, jetson: [...scoped(jetsonignore), ...jetson], git: [...scoped(gitignore), ...git] });
    },
    trusting: () => layered({ ...layers, credentials: undefined }),
  };
}
