/** The what-ifs of fine-tuning. */
import { t } from "../../../words/t.ts";
import type { WhatIf } from "../model.ts";
import { type Estimators, type WhatIfQuestion, whatIfs } from "../whatIfs.ts";
import { lora, lora4bit, TITLES } from "./adapters.ts";
import { optimizerIn8Bits, STATE_8BIT } from "./optimizerState.ts";
import { SEQUENCE, sequence } from "./sequence.ts";

export const FINE_TUNING: Estimators = {
  lora: [TITLES.lora, lora],
  "lora+4bit": [TITLES["lora+4bit"], lora4bit],
  "8bit-optimizer": [STATE_8BIT, optimizerIn8Bits],
  sequence: [SEQUENCE, sequence],
};

/** What the page shows of them: as they choose themselves. It has no copy of them, which would be as large again. */
export function chosenThemselves(question: WhatIfQuestion): WhatIf[] {
  return whatIfs(question, FINE_TUNING).estimates.map(({ choice, notes, ...rest }) =>
    choice === undefined
      ? { ...rest, notes }
      : {
          ...rest,
          notes: [
            t("For a {0} of {1}. Any other: jetson-memprof whatif RUN {2}:N", choice.name, choice.value, rest.kind),
            ...notes,
          ],
        },
  );
}
