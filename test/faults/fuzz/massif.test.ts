/** What valgrind's massif wrote. */
import { fuzzEach } from "./driver.ts";
import { readers } from "./readers/massif.ts";

fuzzEach(new URL("./readers/massif.ts", import.meta.url), readers);
