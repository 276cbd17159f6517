/** The import that a line of Python is, by its text. */
export interface Import {
  readonly word: "import" | "from";
  readonly module: string;
}

/** Nothing else on the line. */
const IMPORT = /^\s*(import|from)\s+([\p{L}\p{N}_.]{1,60})[^;]*$/u;

export function importOf(text: string): Import | undefined {
  const [, word, module] = IMPORT.exec(text) ?? [];
  return module === undefined ? undefined : { word: word === "from" ? "from" : "import", module };
}
