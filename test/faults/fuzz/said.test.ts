/** What is said to us besides the board's protocol. */
import { fuzzEach } from "./driver.ts";
import { readers } from "./readers/said.ts";

fuzzEach(new URL("./readers/said.ts", import.meta.url), readers);
