interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly ({ readonly license: { readonly id: string } } | { readonly expression: string })[];
}

/** Places below the repository, as the lock file has them. */
export declare function bundledPackages(): string[];

export declare function billOfMaterials(): {
  readonly serialNumber: string;
  readonly metadata: { readonly component: Pick<Component, "name" | "version"> };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

/**
 * The text of a package's licence, with the notices that it passes on of others.
 * @param folder of the package
 * @param kept folder of texts that packages lack: `NAME.txt`, beginning with "Source: " and an address
 */
export declare function licenceText(folder: string, kept?: string): string;

/** The licences of what is bundled, each text once with the packages that it is for. */
export declare function notices(): string;
