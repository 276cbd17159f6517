import * as v from "valibot";

/** What a page or the editor was sent, checked; undefined for anything that is not such a message. */
export function readMessage<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
): v.InferOutput<Schema> | undefined {
  const result = v.safeParse(schema, value);
  return result.success ? result.output : undefined;
}
