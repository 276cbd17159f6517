export function neededBy(source: string): string[];
export function importedBy(source: string): string[];
export function importsBelow(folder: string): Map<string, string[]>;
export function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[][];
