/**
 * False in a whole `npm test`, which takes pictures of failures only and leaves out what repeats or seldom breaks;
 * `npm run test:all` and single files have everything (docs/testing.md).
 */
export const inFull = process.env["JETSON_MEMPROF_TESTS"] !== "short";
