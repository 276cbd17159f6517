/** Writes the sample project: a folder of its own, never into one that is there. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { ensureRunsFolder } from "../../profile/run/runsFolder.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";

export const SAMPLE_NAME = "jetson-memory-sample";
export const SAMPLE_SCRIPT = "train.py";
const FILES = ["README.md", SAMPLE_SCRIPT];
const MOST_SAMPLES = 100;

/**
 * @param from the folder with the sample's files
 * @param parent where its folder is made, under the first name that is free
 * @returns the new folder
 * @throws UserError `sample-not-written`
 */
export async function writeSample(from: string, parent: string): Promise<string> {
  try {
    const folder = await newFolder(parent);
    for (const file of FILES) {
      await fs.writeFile(path.join(folder, file), await fs.readFile(path.join(from, file)), { flag: "wx" });
    }
    // The view of runs is ready when the project is opened.
    await ensureRunsFolder(folder);
    return folder;
  } catch (error) {
    throw new UserError(
      "sample-not-written",
      t("The sample project could not be written into {0}: {1}", parent, (error as Error).message),
      t("Choose a folder in which you may write, such as your home folder."),
      { cause: error },
    );
  }
}

async function newFolder(parent: string): Promise<string> {
  for (let number = 1; ; number++) {
    const folder = path.join(parent, number === 1 ? SAMPLE_NAME : `${SAMPLE_NAME}-${number}`);
    try {
      await fs.mkdir(folder);
      return folder;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" || number === MOST_SAMPLES) throw error;
    }
  }
}
