/** What valgrind's gpu wrote. */
import { fuzzEach } from "./driver.ts";
import { readers } from "./readers/gpu.ts";

fuzzEach(new URL("./readers/gpu.ts", import.meta.url), readers);
