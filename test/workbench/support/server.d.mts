import type { WorkbenchHost } from "../../../scripts/workbench-host.mjs";

export interface ServerOptions {
  /** A packaged extension to install first, as a user would. */
  readonly vsix?: string;
  /** User settings beside the quiet defaults. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Absolute path of an extension's folder that is installed too, where no package is. */
  readonly besides?: string;
  /** The only ones to load of VS Code's own extensions; without it all. */
  readonly builtIn?: readonly string[];
  /** Environment of the server, its extension host and its terminals, beside this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** The workspace is not trusted. */
  readonly restricted?: boolean;
  /** In which VS Code is, as it names them; without it English. */
  readonly language?: "zh-cn";
  /** Which VS Code; without it the usual one. */
  readonly host?: WorkbenchHost;
  readonly log?: (line: string) => void;
}

export interface PageOptions {
  /** Absolute path of the folder to open; an empty window without. */
  readonly folder?: string;
  /** Absolute path of an extension to load from its source folder. */
  readonly extension?: string;
  /** Absolute path of a module whose `run()` the extension host calls. */
  readonly tests?: string;
  readonly openFile?: string;
}

export interface WorkbenchServer {
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  /** Of VS Code. */
  readonly version: string;
  url(options: PageOptions): string;
  /** Ends the server with all its children and removes its data folder. */
  stop(): Promise<void>;
}

/** Of VS Code's own extensions those that a story meets: all hundred take an eighth of the time of each opening. */
export declare const STORY_EXTENSIONS: readonly string[];

/** Replaces the settings of user and machine, which a page reads when it is opened; they are beside the quiet defaults. */
export declare function writeSettings(dataDir: string, settings: Readonly<Record<string, unknown>>): void;

/** The page of the server at a port. */
export declare function urlOf(port: number, page: PageOptions): string;

/** Copies a project's folder without what earlier runs left in it. */
export declare function copyProject(from: string, to: string): void;

/** Starts the VS Code server on a free port of 127.0.0.1; rejects with its log when it does not come up. */
export declare function startServer(options?: ServerOptions): Promise<WorkbenchServer>;

/** A server for stories, whose processes have a home folder of their own, empty at first; `stop` removes that too. */
export declare function startStoryServer(options: Omit<ServerOptions, "builtIn">): Promise<{
  readonly server: WorkbenchServer;
  readonly home: string;
  stop(): Promise<void>;
}>;
