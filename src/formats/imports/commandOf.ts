/** What a command line ran, as far as can be told from its text. */
import { defined } from "../../profile/defined.ts";

/** `/usr/bin/python3 -u train.py --epochs 2`; quotes are lost in the file, so arguments with blanks are several. */
export function commandOf(line: string | undefined): {
  python: string;
  script?: string;
  module?: string;
  args: string[];
} {
  const words = (line ?? "").split(/\s+/).filter((word) => word !== "");
  const isPython = /(?:^|[/\\])python[\d.]*(?:\.exe)?$/i.test(words[0] ?? "");
  let at = isPython ? 1 : 0;
  while (isPython && /^-[^m]/.test(words[at] ?? "")) at++;
  const python = isPython ? (words[0] ?? "") : "";
  if (isPython && words[at] === "-m" && words[at + 1] !== undefined) {
    return { python, module: words[at + 1] ?? "", args: words.slice(at + 2) };
  }
  const script = words[at];
  return { python, ...defined({ script }), args: words.slice(at + 1) };
}
