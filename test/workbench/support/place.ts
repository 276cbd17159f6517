/** Where a window is opened: a VS Code server and the home folder of what it starts. */
import * as fs from "node:fs";
import * as path from "node:path";
import { inject } from "vitest";
import { endOfChildren } from "../../support/processes.ts";
import { removeFolder } from "../../support/removeFolder.mjs";
import { type ServerOptions, startStoryServer, urlOf, type WorkbenchServer, writeSettings } from "./server.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The packaged extension. */
    vsix: string;
    /** Where keptServers.mjs listens. */
    keptServers: string;
  }
}

export interface Place {
  readonly server: Omit<WorkbenchServer, "stop">;
  /** Empty at first. */
  readonly home: string;
  /** To be called when no page shows it any more. */
  leave(): Promise<void>;
}

/** What a server is started with; nothing of it can be changed later. */
export type OwnServer = Pick<ServerOptions, "env" | "restricted" | "language" | "host">;

/** A server that is started for one story. */
export async function ownPlace(options: OwnServer, settings: Readonly<Record<string, unknown>>): Promise<Place> {
  const { server, home, stop } = await startStoryServer({ ...options, vsix: inject("vsix"), settings });
  return { server, home, leave: stop };
}

type KeptServer = Omit<WorkbenchServer, "url" | "stop"> & { readonly home: string };

/** A server that earlier stories have used, with the packaged extension, and nothing left of them. */
export async function keptPlace(settings: Readonly<Record<string, unknown>>): Promise<Place> {
  // Stories run side by side have different numbers.
  const reply = await fetch(`${inject("keptServers")}/${process.env["VITEST_POOL_ID"]}`);
  if (!reply.ok) throw new Error(await reply.text());
  const { home, port, ...server } = (await reply.json()) as KeptServer;
  const empty = async (): Promise<void> => {
    await endOfChildren(server.pid, "--type=extensionHost");
    for (const name of fs.readdirSync(home)) await removeFolder(path.join(home, name));
    await removeFolder(path.join(server.dataDir, "data/User"));
  };
  // The story before may have ended before it could leave.
  await empty();
  writeSettings(server.dataDir, settings);
  return { server: { ...server, port, url: (page) => urlOf(port, page) }, home, leave: empty };
}
