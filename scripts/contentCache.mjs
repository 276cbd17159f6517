// Results that follow from their inputs alone and take long to make, kept in .cache/ by the digest of the inputs.
import { createHash, randomUUID } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * @param {string} kind how it is made; another name where that changes
 * @param {(string | Buffer)[]} inputs everything that it is made of
 * @param {() => Promise<Buffer>} make
 * @returns {Promise<Buffer>}
 */
export async function cached(kind, inputs, make) {
  const hash = createHash("sha256");
  for (const input of inputs) hash.update(createHash("sha256").update(input).digest());
  const file = path.join(root, ".cache", kind, hash.digest("hex"));
  if (fs.existsSync(file)) return fs.readFileSync(file);
  const made = await make();
  fs.mkdirSync(path.dirname(file), { recursive: true });
  // By a rename: two that make it at once do not read halves of each other's.
  const scratch = `${file}.${randomUUID()}`;
  fs.writeFileSync(scratch, made);
  fs.renameSync(scratch, file);
  return made;
}
