export const FLOORS: Readonly<
  Record<string, { readonly may: readonly string[]; readonly browser?: true; readonly vscode?: true }>
>;
export function wrongWays(file: string, source: string): string[];
export function allWrongWays(root: string): string[];
