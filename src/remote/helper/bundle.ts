/** The helper as it travels to a board: one archive, named by its digest. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { makeTar, readTar, type TarFile } from "./tar.ts";

export interface HelperBundle {
  /** The text of bootstrap.py. */
  readonly bootstrap: string;
  readonly archive: Buffer;
  /** Of what sha256sum prints of the files, in the order of their paths: the board makes it again of what lies there. */
  readonly digest: string;
}

/** What of python-helper/ a board needs: no tests, no C source, no bytecode. */
function belongs(path: string): boolean {
  if (/(^|\/)(__pycache__|tests)\//.test(path) || path.endsWith(".pyc")) return false;
  if (path === "board.py" || path === "accel/manifest.json") return true;
  return /^(jetson_memprof|boot)\/.+\.py$/.test(path) || /^accel\/[^/]+\.so$/.test(path);
}

/** What is being read, by folder: a hundred runs that begin at once need it once, and one copy in memory. */
const beingRead = new Map<string, Promise<HelperBundle>>();

/**
 * As readHelperBundle; those who ask while it is being read get the same one.
 * @throws UserError `helper-missing`
 */
export function sharedHelperBundle(helperFolder: string): Promise<HelperBundle> {
  const known = beingRead.get(helperFolder);
  if (known !== undefined) return known;
  const reading = readHelperBundle(helperFolder).finally(() => beingRead.delete(helperFolder));
  beingRead.set(helperFolder, reading);
  return reading;
}

/**
 * @param helperFolder python-helper/ with its files; or, as it is shipped, with bootstrap.py alone, the archive of the
 *   rest being dist/helper.tar.br beside it
 * @param lean what is to travel of a Python file's text; it is that of the files themselves where there is none
 * @throws UserError `helper-missing`
 */
export async function readHelperBundle(helperFolder: string, lean?: (python: string) => string): Promise<HelperBundle> {
  try {
    const whole = existsSync(join(helperFolder, "board.py"));
    const text = await readFile(join(helperFolder, "bootstrap.py"), "utf8");
    const bootstrap = whole && lean !== undefined ? lean(text) : text;
    const files = whole
      ? await filesIn(helperFolder, lean)
      : readTar(await promisify(brotliDecompress)(await readFile(join(helperFolder, "../dist/helper.tar.br"))));
    const digest = sha256(files.map(({ name, data }) => `${sha256(data)}  ${name}\n`).join(""));
    return { bootstrap, archive: makeTar(files), digest };
  } catch (error) {
    throw new UserError(
      "helper-missing",
      t("The helper that runs on the board could not be read from {0}: {1}", helperFolder, (error as Error).message),
      t("Install the extension again."),
      { cause: error },
    );
  }
}

async function filesIn(helperFolder: string, lean?: (python: string) => string): Promise<TarFile[]> {
  const paths = (await readdir(helperFolder, { recursive: true }))
    .map((path) => path.replaceAll("\\", "/"))
    .filter(belongs)
    .sort();
  return Promise.all(
    paths.map(async (name) => {
      const file = await readFile(join(helperFolder, name));
      const data = lean !== undefined && name.endsWith(".py") ? Buffer.from(lean(file.toString())) : file;
      return { name, data, executable: name.endsWith(".so") };
    }),
  );
}

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}
