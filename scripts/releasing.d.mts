export interface Manifest {
  readonly version: string;
  readonly private?: boolean;
  readonly repository?: string | { readonly url: string };
  readonly bugs?: string | { readonly url: string };
}

/** Each file that says the version, with how its text becomes another version's. */
export declare const VERSIONED: Readonly<Record<string, (text: string, version: string) => string>>;

/** The changelog with what was unreleased under the version, and an empty section for what comes next. */
export declare function releasedChangelog(changelog: string, version: string, date: string): string;

/** What the changelog says of a version that has a date; undefined where it says nothing. */
export declare function releaseNotes(changelog: string, version: string): string | undefined;

/** Why a version cannot be released, each as a sentence for the one who tries. */
export declare function faultsBefore(
  version: string,
  state: {
    readonly manifest: Manifest;
    readonly changelog: string;
    /** Files with changes that are not committed. */
    readonly changed: readonly string[];
    readonly tags: readonly string[];
  },
): string[];

/** Why a tag cannot be published, each as a sentence. */
export declare function faultsOfTag(
  tag: string,
  state: {
    readonly manifest: Manifest;
    readonly changelog: string;
    /** The texts of the files of `VERSIONED`. */
    readonly versions: Readonly<Record<string, string>>;
  },
): string[];
