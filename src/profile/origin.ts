/** origin.json: the target a run happened on and its folder there. */
import * as v from "valibot";
import { checkSchema, damaged, parseObject } from "./jsonRecords.ts";
import type { RunOrigin } from "./model.ts";

const originSchema = v.object({
  target: v.string(),
  board_folder: v.string(),
  simulated: v.nullish(v.boolean(), false),
});

/**
 * Undefined where the file is cut off: a run can be shown without it.
 * @throws UserError `run-damaged`, `schema-too-new`
 */
export function decodeOrigin(content: string, file: string): RunOrigin | undefined {
  const record = parseObject(content);
  if (record === undefined) return undefined;
  checkSchema(record, file);
  const parsed = v.safeParse(originSchema, record);
  if (!parsed.success) throw damaged(file, parsed.issues);
  const { target, board_folder, simulated } = parsed.output;
  return { target, boardFolder: board_folder, simulated: simulated ?? false };
}

/** A target as it is called wherever people read it. */
export function targetName(target: string, simulated: boolean): string {
  if (simulated || target === "loopback") return "simulated board (this computer, over SSH)";
  return target === "local" ? "this computer" : target;
}
