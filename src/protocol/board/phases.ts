/** What each phase of a run took, as it travels to a page; `PhaseCost` of src/profile/torch/phases.ts says what is what. */
import * as v from "valibot";
import { PHASES } from "../../profile/model.ts";
import { place } from "../figures.ts";

const change = v.exactOptional(v.pipe(v.number(), v.finite()));

export const phaseCost = v.object({
  phase: v.picklist(PHASES),
  process: v.exactOptional(v.string()),
  t: v.pipe(v.number(), v.finite(), v.minValue(0)),
  at: v.exactOptional(place),
  rss: change,
  inUse: change,
  allocated: change,
  reserved: change,
  outside: change,
});

/** Rows of a table that a person reads: many processes may have some. */
export const phaseCosts = v.pipe(v.array(phaseCost), v.maxLength(2_000), v.readonly());
