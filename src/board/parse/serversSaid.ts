/** What inference servers beside the run say of their own memory, as `servers` of moments.jsonl has it. */
import * as v from "valibot";
import { amount, index } from "../../profile/files/jsonRecords.ts";

const MOST_SERVERS = 64;
const MOST_PARTS = 64;

const kind = v.picklist(["weights", "kv_cache", "compute", "other", "whole"]);
const word = v.pipe(v.string(), v.maxLength(100));

export const serversSchema = v.pipe(
  v.array(
    v.tuple([
      index,
      v.picklist(["log", "api"]),
      v.pipe(v.array(v.tuple([kind, v.nullable(word), amount])), v.maxLength(MOST_PARTS)),
    ]),
  ),
  v.maxLength(MOST_SERVERS),
);

export type ServersSaid = v.InferOutput<typeof serversSchema>;
export type SaidKind = v.InferOutput<typeof kind>;
