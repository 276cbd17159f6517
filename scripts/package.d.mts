export interface ZipEntry {
  readonly name: string;
  /** Bytes before and after compression. */
  readonly size: number;
  readonly packed: number;
}

/** The files of a zip archive, from its table of contents; throws when the file is none. */
export declare function zipEntries(file: string): ZipEntry[];

/** Builds for production and packs; resolves to the .vsix file's path. */
export declare function packageExtension(): Promise<string>;
