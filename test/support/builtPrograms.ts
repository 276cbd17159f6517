/** Our programs as they are shipped, bundled once for all files of a run: a bundle takes over a second of the processor. */
import * as fs from "node:fs";
import * as path from "node:path";
import { inject } from "vitest";
import { bundlePrograms } from "../../scripts/bundleProgram.mjs";

declare module "vitest" {
  interface ProvidedContext {
    programsFolder: string;
  }
}

const ENTRIES = { cli: "src/cli/main.ts", server: "src/server/start.ts" };

/** Puts `<name>.cjs` of each into the folder, which is made where it is missing. */
export async function putPrograms(names: readonly (keyof typeof ENTRIES)[], folder: string): Promise<void> {
  fs.mkdirSync(folder, { recursive: true });
  for (const name of names) fs.copyFileSync(await builtProgram(name), path.join(folder, `${name}.cjs`));
}

async function builtProgram(name: keyof typeof ENTRIES): Promise<string> {
  const kept = inject("programsFolder");
  const file = path.join(kept, `${name}.cjs`);
  if (fs.existsSync(file)) return file;
  // Another file that runs at the same time may do the same: each moves a whole one there.
  const scratch = fs.mkdtempSync(path.join(kept, "new-"));
  await bundlePrograms({ [name]: ENTRIES[name] }, scratch);
  fs.renameSync(path.join(scratch, `${name}.cjs`), file);
  return file;
}
