/** Commands about words. */
import type { CommandGroup } from "../model.ts";

export const WORDS = {
  title: "Words",
  commands: {
    explainTerm: {
      title: { en: "Explain a Term…", zh: "解释术语…" },
      says: "What RSS, reserved, net and the others mean ([glossary.md](glossary.md)).",
    },
  },
} as const satisfies CommandGroup;
