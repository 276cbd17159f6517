/** What a board says of itself. */
import { fuzzEach } from "./driver.ts";
import { readers } from "./readers/board.ts";

fuzzEach(new URL("./readers/board.ts", import.meta.url), readers);
