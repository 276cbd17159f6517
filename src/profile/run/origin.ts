/** origin.json: the target a run happened on and its folder there. */
import * as v from "valibot";
import { phrase, say, t } from "../../words/t.ts";
import { checkSchema, damaged, parseObject, present } from "../files/jsonRecords.ts";
import type { RunOrigin } from "../model.ts";

const LOOPBACK = phrase("simulated board (this computer, over SSH)");

const originSchema = v.object({
  target: v.string(),
  inside: v.nullish(v.string()),
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
  const { target, inside, board_folder, simulated } = parsed.output;
  return present({ target, inside, boardFolder: board_folder, simulated: simulated ?? false });
}

/**
 * Where a run happened, as it is called wherever people read it.
 * @param system as of `targetName`
 */
export function originName({ target, simulated, inside }: RunOrigin, system?: string): string {
  return placeName(inside, targetName(target, simulated, system));
}

/** A board, with the container on it where there is one. */
export function placeName(inside: string | undefined, board: string): string {
  return inside === undefined ? board : t("{0} on {1}", inside, board);
}

/**
 * A target as it is called wherever people read it.
 * @param simulated it is the loopback board
 * @param system what stands for the board's own files, where they are not its own: `Jetson Nano`
 */
export function targetName(target: string, simulated: boolean, system?: string): string {
  const name = simulated || target === "loopback" ? say(LOOPBACK) : target === "local" ? t("this computer") : target;
  return system === undefined ? name : t("{0}, simulated {1}", name, system);
}
