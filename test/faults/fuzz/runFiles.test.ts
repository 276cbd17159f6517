/** What a run leaves behind. */
import { fuzzEach } from "./driver.ts";
import { readers } from "./readers/runFiles.ts";

fuzzEach(new URL("./readers/runFiles.ts", import.meta.url), readers);
