/** All what-ifs. The page has those without a slider from the server: a copy of their rules would be as large again. */
import { phrase, t } from "../../words/t.ts";
import { loader, onDevice } from "./feeding.ts";
import { inPlace } from "./inPlace.ts";
import type { WhatIf } from "./model.ts";
import { mixedPrecision } from "./precision.ts";
import { lora, lora4bit, TITLES } from "./tuning/adapters.ts";
import { optimizerIn8Bits, STATE_8BIT } from "./tuning/optimizerState.ts";
import { SEQUENCE, sequence } from "./tuning/sequence.ts";
import { type Estimators, WHAT_IF_TITLES, type WhatIfQuestion, type WhatIfs, WITH_SLIDER, whatIfs } from "./whatIfs.ts";

const WITHOUT_SLIDER: Estimators = {
  amp: [WHAT_IF_TITLES.amp, mixedPrecision],
  "in-place": [WHAT_IF_TITLES["in-place"], inPlace],
  "on-device": [phrase("Building on the device instead of moving"), onDevice, onDevice],
  loader: [phrase("Loading without workers and pinned memory"), loader],
  lora: [TITLES.lora, lora],
  "lora+4bit": [TITLES["lora+4bit"], lora4bit],
  "8bit-optimizer": [STATE_8BIT, optimizerIn8Bits],
  sequence: [SEQUENCE, sequence],
};

export const allWhatIfs = (question: WhatIfQuestion): WhatIfs =>
  whatIfs(question, { ...WITH_SLIDER, ...WITHOUT_SLIDER });

/** Those without a slider: what is to be chosen they choose themselves. */
export function withoutSlider(question: WhatIfQuestion): WhatIfs {
  const { estimates, refused } = whatIfs(question, WITHOUT_SLIDER);
  return { estimates: estimates.map(chosenItself), refused };
}

function chosenItself({ choice, ...rest }: WhatIf): WhatIf {
  if (choice === undefined) return rest;
  const { name, value } = choice;
  const note = t("For a {0} of {1}. Any other: jetson-memprof whatif RUN {2}:N", name, value, rest.kind);
  return { ...rest, notes: [note, ...rest.notes] };
}
