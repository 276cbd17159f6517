/** A run folder as views, lists, comparisons and exports use it. */
import { fuzzEach } from "./driver.ts";
import { readers } from "./readers/wholeRun.ts";

fuzzEach(new URL("./readers/wholeRun.ts", import.meta.url), readers);
