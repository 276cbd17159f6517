// Packs the extension once for all stories.
import { packageExtension } from "../../../scripts/package.mjs";

export default async function setup({ provide }) {
  provide("vsix", await packageExtension());
}
