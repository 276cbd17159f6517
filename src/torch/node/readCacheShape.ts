/** A model's shape from a file on disk: config.json of transformers, or the head of a GGUF file of any size. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { t } from "../../words/t.ts";
import { ggufFields, shapeOfGguf } from "../kvCache/gguf.ts";
import type { CacheShape } from "../kvCache/model.ts";
import { notAModel } from "../kvCache/says.ts";
import { shapeOfConfig } from "../kvCache/transformersConfig.ts";

const MOST_CONFIG = 4 * 1024 ** 2;
/** A head has the vocabulary: some MB. */
const FIRST_HEAD = 1024 ** 2;
const MOST_HEAD = 64 * 1024 ** 2;

/**
 * @param place a file, or a folder with config.json
 * @throws UserError `not-a-model`
 */
export async function readCacheShape(place: string): Promise<CacheShape> {
  try {
    const file = (await fs.stat(place)).isDirectory() ? path.join(place, "config.json") : place;
    // Not opened before: a pipe would wait for who writes to it.
    if (!(await fs.stat(file)).isFile()) throw notAModel(t("{0} is not a plain file.", file));
    const handle = await fs.open(file);
    try {
      return await shapeIn(handle, file);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && "errno" in error)
      throw notAModel(t("{0} cannot be read: {1}.", place, error.message), error);
    throw error;
  }
}

async function shapeIn(handle: fs.FileHandle, file: string): Promise<CacheShape> {
  if ((await beginning(handle, 4)).toString("latin1") !== "GGUF") {
    const text = await beginning(handle, MOST_CONFIG + 1);
    if (text.length > MOST_CONFIG) throw notAModel(t("{0} is too large to be a model's configuration.", file));
    return shapeOfConfig(text.toString("utf8"), file);
  }
  for (let size = FIRST_HEAD; size <= MOST_HEAD; size *= 8) {
    const head = await beginning(handle, size);
    const fields = ggufFields(head, file);
    if (fields !== undefined) return shapeOfGguf(fields, file);
    if (head.length < size) break;
  }
  throw notAModel(t("{0} ends within its head, or its head is larger than any model's.", file));
}

async function beginning(handle: fs.FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, size - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === size) return buffer.subarray(0, length);
  }
}
