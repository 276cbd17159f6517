/** Exports checked against the published schema. */
import * as fs from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";

const schemaFile = new URL("../../../docs/schema/run.schema.json", import.meta.url);
const schema = JSON.parse(fs.readFileSync(schemaFile, "utf8")) as object;

/** The schema with every key forbidden that it does not name, so that an export with another key fails. */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed);
  if (typeof part !== "object" || part === null) return part;
  const record = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closed(value)]));
  const isObject = "properties" in record && record["type"] === "object" && !("additionalProperties" in record);
  return isObject ? { ...record, additionalProperties: false } : record;
}

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
const validate = ajv.compile(closed(schema) as object);

/** What is wrong with it; none where it is an export. */
export const schemaFaults = (json: unknown): readonly object[] => (validate(json) ? [] : (validate.errors ?? []));
