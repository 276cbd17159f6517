/** What AI agents say to the server that they start. */
import { fuzzEach } from "./driver.ts";
import { readers } from "./readers/agents.ts";

fuzzEach(new URL("./readers/agents.ts", import.meta.url), readers);
