/** What PyTorch wrote. */
import { fuzzEach } from "./driver.ts";
import { readers } from "./readers/torch.ts";

fuzzEach(new URL("./readers/torch.ts", import.meta.url), readers);
