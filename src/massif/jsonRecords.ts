/** What the JSON Lines files beside massif.out have in common: a header with the schema, then records. */
import { checkSchema, parseObject } from "../profile/files/jsonRecords.ts";

/**
 * @param text the whole file; a last line without `\n` is ignored, as are lines that are no objects
 * @param name of the file, for messages
 * @returns undefined for a file that does not even have its header yet
 * @throws UserError `schema-too-new`, `run-damaged`: its header is not ours
 */
export function readJsonRecords(
  text: string,
  name: string,
): { header: Record<string, unknown>; records: Iterable<Record<string, unknown>> } | undefined {
  const headerEnd = text.indexOf("\n");
  if (headerEnd < 0) return undefined;
  const header = parseObject(text.slice(0, headerEnd)) ?? {};
  checkSchema(header, name);
  return { header, records: objects(text, headerEnd + 1) };
}

function* objects(text: string, from: number): Generator<Record<string, unknown>> {
  let start = from;
  for (let end = text.indexOf("\n", start); end >= 0; end = text.indexOf("\n", start)) {
    const object = parseObject(text.slice(start, end));
    if (object !== undefined) yield object;
    start = end + 1;
  }
}
