/** Files of other tools. */
import { fuzzEach } from "./driver.ts";
import { readers } from "./readers/imports.ts";

fuzzEach(new URL("./readers/imports.ts", import.meta.url), readers);
