/** Commands that change a board, for its release. Each is shown before it is run, and runs without asking anything. */
import { defined } from "../../profile/defined.ts";
import { sentences, t } from "../../words/t.ts";
import { isOlder } from "../parse/version.ts";
import type { Facts } from "./facts.ts";
import type { Remedy } from "./model.ts";

/**
 * A command that needs root.
 * @param command without `sudo`
 * @param undo likewise
 */
export function asRoot(facts: Facts, text: string, command: string, undo?: string): Remedy {
  const refused =
    !facts.isRoot && facts.survey.user?.sudo === "none"
      ? t("Your account may not use sudo there: ask the board's administrator.")
      : undefined;
  return {
    text: sentences(text, refused),
    command: rootLine(facts, command),
    ...(facts.isRoot ? {} : { asRoot: true }),
    ...defined({ undo: undo === undefined ? undefined : rootLine(facts, undo) }),
  };
}

/** A command that needs root, as this account types it. */
export function rootLine({ isRoot }: Facts, command: string): string {
  return isRoot ? command : `sudo ${command}`;
}

/** Putting the account into a group. @param may what its members may do */
export function joinGroup(facts: Facts, group: string, may: string): Remedy {
  return asRoot(
    facts,
    t("This puts your account into the group that may {0}. Log in again afterwards.", may),
    `usermod -aG ${group} "$USER"`,
    `gpasswd -d "$USER" ${group}`,
  );
}

/** Installing a package of the distribution; the command only where the distribution is one that has apt. */
export function install(facts: Facts, name: string, text: string): Remedy {
  if (!hasApt(facts)) {
    return { text: sentences(text, t("Install {0} with the system's own package manager.", name)) };
  }
  return asRoot(
    facts,
    sentences(
      text,
      t(
        "This installs the package {0}. If apt does not find it, run `{1}` first.",
        name,
        rootLine(facts, "apt-get update"),
      ),
    ),
    `apt-get install -y --no-install-recommends ${name}`,
    `apt-get remove -y ${name}`,
  );
}

export function hasApt({ os, survey }: Facts): boolean {
  const apt = ["debian", "ubuntu", "raspbian"];
  return (
    [os.id, ...os.like].some((id) => id !== undefined && apt.includes(id)) ||
    Boolean(survey.packages["nvidia-l4t-core"])
  );
}

/** Whether the system refuses pip for its own Python (PEP 668): Debian from 12 on, Ubuntu from 23.04 on. */
export function pipIsRefused({ os }: Facts): boolean {
  const { id, version } = os;
  if (version === undefined) return false;
  const since = id === "ubuntu" ? 23 : id === "debian" || id === "raspbian" ? 12 : undefined;
  const whole = version.includes(".") ? version : `${version}.0`;
  return since !== undefined && isOlder(whole, [since, 0]) === false;
}

/** A path as it may stand in a command as it is; undefined for any that a shell would read otherwise. */
export function plainPath(path: string): string | undefined {
  return /^\/[\w./+-]{1,500}$/.test(path) ? path : undefined;
}
