/** What of a project is sent, by the rules that several places have. */
import ignore, { type Ignore } from "ignore";
import type { StayReason } from "../../protocol/run/leaving.ts";
import { CREDENTIALS } from "./leftOut.ts";

/** `asked-for`: the setting names it. `credential`: for that alone it stays here. */
export type Verdict = "sent" | "asked-for" | Exclude<StayReason, "never">;

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
  readonly by: "jetsonignore" | "gitignore";
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
function ofProject(layers: readonly Scoped[], path: string): "sent" | Scoped["by"] {
  for (const { base, rules, by } of layers) {
    const own = rules.test(path.slice(base.length));
    if (own.ignored) return by;
    if (own.unignored) return "sent";
  }
  return "sent";
}

function layered(layers: Layers): Rules {
  const { setting, credentials, jetson, git } = layers;
  return {
    verdict(path) {
      const wanted = setting.test(path);
      if (wanted.ignored) return "setting";
      if (wanted.unignored) return "asked-for";
      const own = ofProject([...jetson, ...git], path);
      return own === "sent" && credentials?.test(path).ignored ? "credential" : own;
    },
    below(base, { jetsonignore, gitignore }) {
      const scoped = (text: string | undefined, by: Scoped["by"]): readonly Scoped[] =>
        text === undefined ? [] : [{ base, rules: parsed(text), by }];
      if (jetsonignore === undefined && gitignore === undefined) return this;
      return layered({
        ...layers,
        jetson: [...scoped(jetsonignore, "jetsonignore"), ...jetson],
        git: [...scoped(gitignore, "gitignore"), ...git],
      });
    },
    trusting: () => layered({ ...layers, credentials: undefined }),
  };
}
