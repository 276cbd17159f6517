export interface ZipEntry {
  readonly name: string;
  /** Bytes before and after compression. */
  readonly size: number;
  readonly packed: number;
  /** The file itself. */
  read(): Buffer;
}

/** The files of a zip archive, from its table of contents; throws when the file is none. */
export declare function zipEntries(file: string): ZipEntry[];

export interface ZipFile {
  readonly name: string;
  readonly data: Buffer;
  readonly executable: boolean;
}

/**
 * An archive: the same bytes for the same files, whatever their order.
 * @param epochSeconds the time that all files get, in seconds since 1970; the earliest that a zip archive can say is 1980
 */
export declare function makeZip(files: readonly ZipFile[], epochSeconds: number): Promise<Buffer>;
