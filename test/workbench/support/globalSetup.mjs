// The packed extension, once for all stories: that which `npm test` has just packed, else one packed now.
import { packageExtension } from "../../../scripts/package.mjs";

export default async function setup({ provide }) {
  provide("vsix", process.env.JETSON_MEMPROF_VSIX ?? (await packageExtension()));
}
