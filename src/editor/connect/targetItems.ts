/** What the host picker offers, and in which order. Nothing of VS Code is needed to decide it. */
import { t } from "../../words/t.ts";

export interface TargetItem {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  /** ThemeIcon's name. */
  readonly icon: string;
  /** What `parseTarget` reads; absent for the item that asks for it. */
  readonly target?: string;
}

export interface TargetSources {
  /** The target used last in this workspace. */
  readonly remembered: string | undefined;
  /** Names of the SSH configuration. */
  readonly configured: readonly string[];
  /** This computer can run the board's side (Linux). */
  readonly runsHere: boolean;
}

const localName = (): string => t("This computer");
const loopbackName = (): string => t("Simulated board (this computer, over SSH)");

/** A target as a person says it: `nano@192.168.1.20`, `This computer`. */
export function targetLabel(target: string): string {
  if (target === "local") return localName();
  return target === "loopback" ? loopbackName() : target.replace(/^ssh:\/\//, "");
}

/** Short, for a terminal's title: the host alone. */
export function targetShortName(target: string): string {
  if (target === "local") return t("this computer");
  return target === "loopback" ? t("simulated board") : targetLabel(target).replace(/^[^@]*@/, "");
}

/** The remembered target first, then the SSH configuration's, then this computer; each once. */
export function targetItems({ remembered, configured, runsHere }: TargetSources): TargetItem[] {
  const items: TargetItem[] = configured.map((host) => ({
    label: host,
    description: t("SSH configuration"),
    icon: "server-environment",
    target: `ssh://${host}`,
  }));
  if (runsHere) {
    items.push(
      { label: localName(), detail: t("Runs the script here, without a connection"), icon: "vm", target: "local" },
      { label: loopbackName(), detail: t("For trying it without a board"), icon: "beaker", target: "loopback" },
    );
  }
  if (remembered === undefined || (!runsHere && !remembered.startsWith("ssh://"))) return items;
  const known = items.find(({ target }) => target === remembered);
  return [
    {
      ...(known ?? { label: targetLabel(remembered), icon: "server-environment", target: remembered }),
      description: t("last used"),
    },
    ...items.filter((item) => item !== known),
  ];
}

/**
 * The item for what is typed: connects to a target that can be read, and otherwise opens a box that says what is
 * wrong with it.
 * @param check what is wrong with the text, or undefined
 */
export function typedItem(text: string, check: (text: string) => string | undefined): TargetItem {
  const typed = text.trim();
  if (typed === "") return { label: t("Type a host…"), detail: t("user@host or user@host:port"), icon: "edit" };
  const problem = check(typed);
  return problem === undefined
    ? { label: t("Connect to {0}", targetLabel(typed)), icon: "plug", target: typed }
    : { label: t("Type a host…"), detail: problem, icon: "edit" };
}
