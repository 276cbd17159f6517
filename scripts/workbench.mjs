// Opens a folder in the browser-run VS Code with the extension from the working tree. Nothing but 127.0.0.1 can reach it.
// Usage: npm run workbench [-- --folder DIR]; without a folder it is a copy of examples/.
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { copyProject, startServer } from "../test/workbench/support/server.mjs";
import { installNpmPackages, root, run } from "./setup.mjs";

function folderToOpen() {
  const { values } = parseArgs({ options: { folder: { type: "string" } } });
  if (values.folder !== undefined) {
    const folder = path.resolve(values.folder);
    if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
      console.error(`There is no folder ${folder}. Give an existing one: npm run workbench -- --folder DIR`);
      process.exit(64);
    }
    return { folder, remove: () => {} };
  }
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "memprof-"));
  const folder = path.join(scratch, "examples");
  copyProject(path.join(root, "examples"), folder);
  return { folder, remove: () => fs.rmSync(scratch, { recursive: true, force: true }) };
}

const { folder, remove } = folderToOpen();
installNpmPackages();
run(process.execPath, [fileURLToPath(new URL("build.mjs", import.meta.url))]);
const server = await startServer({ log: console.log });
const stopped = new Promise((resolve) => {
  process.once("SIGINT", resolve);
  process.once("SIGTERM", resolve);
});
console.log(`
VS Code with the extension:  ${server.url({ folder, extension: root.replace(/[/\\]$/, "") })}

Open it in your browser. Right-click a Python file, choose "Profile on Jetson", then "Simulated board".
Folder: ${folder}
Ctrl-C stops it.`);
await stopped;
await server.stop();
remove();
