/** The helper as it travels to a board: one archive, named by its digest. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../profile/userError.ts";
import { makeTar, type TarFile } from "./tar.ts";

export interface HelperBundle {
  /** The text of bootstrap.py. */
  readonly bootstrap: string;
  readonly archive: Buffer;
  /** SHA-256 of the archive, lower-case hex. */
  readonly digest: string;
}

/** What of python-helper/ a board needs: no tests, no C source, no bytecode. */
function belongs(path: string): boolean {
  if (/(^|\/)(__pycache__|tests)\//.test(path) || path.endsWith(".pyc")) return false;
  if (path === "board.py" || path === "accel/manifest.json") return true;
  return /^(jetson_memprof|boot)\/.+\.py$/.test(path) || /^accel\/[^/]+\.so$/.test(path);
}

export async function readHelperBundle(helperFolder: string): Promise<HelperBundle> {
  try {
    const paths = (await readdir(helperFolder, { recursive: true }))
      .map((path) => path.replaceAll("\\", "/"))
      .filter(belongs)
      .sort();
    const files: TarFile[] = [];
    for (const name of paths) {
      files.push({ name, data: await readFile(join(helperFolder, name)), executable: name.endsWith(".so") });
    }
    if (!paths.includes("board.py")) throw new Error("board.py is missing");
    const archive = makeTar(files);
    const digest = createHash("sha256").update(archive).digest("hex");
    return { bootstrap: await readFile(join(helperFolder, "bootstrap.py"), "utf8"), archive, digest };
  } catch (error) {
    throw new UserError(
      "helper-missing",
      `The part that runs on the board could not be read from ${helperFolder}: ${(error as Error).message}`,
      "Install the extension again.",
      { cause: error },
    );
  }
}
