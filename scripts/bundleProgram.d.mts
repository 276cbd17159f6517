/**
 * Bundles programs to `folder/NAME.cjs`.
 * @param entryPoints files below the repository, by the programs' names
 */
export declare function bundlePrograms(entryPoints: Readonly<Record<string, string>>, folder: string): Promise<void>;

/**
 * Bundles a program that is written down in a test or a bench.
 * @param contents TypeScript; its imports are from the repository's root
 * @returns the bundle's file, `folder/NAME.cjs`
 */
export declare function bundleText(contents: string, name: string, folder: string): Promise<string>;
