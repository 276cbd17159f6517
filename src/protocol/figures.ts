/** What messages to and from the pages have in common, as schemas. */
import * as v from "valibot";

/** Bytes. */
export const finite = v.pipe(v.number(), v.finite());
export const size = v.pipe(v.number(), v.finite(), v.minValue(0));
/** 1-based. */
export const lineNumber = v.pipe(v.number(), v.integer(), v.minValue(1));
/** Of a file that was measured. */
export const place = v.object({
  /** Relative to the project folder, with `/`. */
  path: v.pipe(v.string(), v.minLength(1), v.maxLength(4_096)),
  line: lineNumber,
});
