/** Builds for production and packs; resolves to the .vsix file's path. */
export declare function packageExtension(): Promise<string>;
