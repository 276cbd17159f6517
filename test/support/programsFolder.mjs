// A folder for what the files of a run bundle once (builtPrograms.ts), gone after it.
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { removeFolder } from "./removeFolder.mjs";

export default function setup({ provide }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-programs-"));
  provide("programsFolder", folder);
  return () => removeFolder(folder);
}
