/** What the host picker offers, and in which order. Nothing of VS Code is needed to decide it. */

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

export const LOCAL_NAME = "This computer";
export const LOOPBACK_NAME = "Simulated board (this computer, over SSH)";

/** A target as a person says it: `nano@192.168.1.20`, `This computer`. */
export function targetLabel(target: string): string {
  if (target === "local") return LOCAL_NAME;
  return target === "loopback" ? LOOPBACK_NAME : target.replace(/^ssh:\/\//, "");
}

/** Short, for a terminal's title: the host alone. */
export function targetShortName(target: string): string {
  if (target === "local") return "this computer";
  return target === "loopback" ? "simulated board" : targetLabel(target).replace(/^[^@]*@/, "");
}

/** The remembered target first, then the SSH configuration's, then this computer; each once. */
export function targetItems({ remembered, configured, runsHere }: TargetSources): TargetItem[] {
  const items: TargetItem[] = configured.map((host) => ({
    label: host,
    description: "SSH configuration",
    icon: "server-environment",
    target: `ssh://${host}`,
  }));
  if (runsHere) {
    items.push(
      { label: LOCAL_NAME, detail: "Runs the script here, without a connection", icon: "vm", target: "local" },
      { label: LOOPBACK_NAME, detail: "For trying it without a board", icon: "beaker", target: "loopback" },
    );
  }
  if (remembered === undefined || (!runsHere && !remembered.startsWith("ssh://"))) return items;
  const known = items.find(({ target }) => target === remembered);
  return [
    {
      ...(known ?? { label: targetLabel(remembered), icon: "server-environment", target: remembered }),
      description: "last used",
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
  if (typed === "") return { label: "Type a host…", detail: "user@host or user@host:port", icon: "edit" };
  const problem = check(typed);
  return problem === undefined
    ? { label: `Connect to ${targetLabel(typed)}`, icon: "plug", target: typed }
    : { label: "Type a host…", detail: problem, icon: "edit" };
}
