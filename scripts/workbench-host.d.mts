/** The browser-run VS Codes of the tests, each a folder in test/workbench/host. */
export type WorkbenchHost = "usual" | "oldest" | "newest";

export interface InstalledHost {
  /** The entry point of the VS Code server, and the Node that runs it. */
  readonly serverMain: string;
  readonly node: string;
  /** VS Code's own extensions, a folder each. */
  readonly extensions: string;
  /** Of VS Code. */
  readonly version: string;
  /** Whether it can run shells and search for text. */
  readonly terminal: boolean;
  readonly search: boolean;
}

export declare const HOSTS: Readonly<Record<WorkbenchHost, string>>;

/** Installs a server when it is missing or of another version; throws when npm cannot install it. */
export declare function ensureWorkbenchHost(options?: {
  readonly host?: WorkbenchHost;
  readonly log?: (line: string) => void;
}): InstalledHost;
