/** What a board says to us. */
import { fuzzEach } from "./driver.ts";
import { readers } from "./readers/protocol.ts";

fuzzEach(new URL("./readers/protocol.ts", import.meta.url), readers);
