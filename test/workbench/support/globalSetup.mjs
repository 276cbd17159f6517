// What the stories share: the packed extension, that which `npm test` has just packed, else one packed now; and servers.
import { packageExtension } from "../../../scripts/package.mjs";
import { keepServers } from "./keptServers.mjs";

export default async function setup({ provide }) {
  const vsix = process.env.JETSON_MEMPROF_VSIX ?? (await packageExtension());
  const { address, stop } = await keepServers(vsix);
  provide("vsix", vsix);
  provide("keptServers", address);
  return stop;
}
