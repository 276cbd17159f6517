/** Where a board is reached on the network, by the user's SSH configuration. */
import type { TargetAddress } from "../../protocol/run/run.ts";
import { hostConfiguration, type SshAddress } from "./config/configuration.ts";

/** The same for two names of one board. @throws UserError as hostNameOf */
export async function machineOf(target: TargetAddress): Promise<string> {
  if (target.kind !== "ssh") return target.kind;
  const { user, hostName, port } = await configurationOf(target);
  return `${user}@${hostName}:${port}`;
}

/** This computer for what runs on it. @throws UserError as reading the SSH configuration does */
export async function hostNameOf(target: TargetAddress): Promise<string> {
  return target.kind === "ssh" ? (await configurationOf(target)).hostName : "127.0.0.1";
}

const configurationOf = (address: SshAddress) => hostConfiguration(address, new AbortController().signal);
