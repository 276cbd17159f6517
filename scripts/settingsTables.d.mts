interface Manifest {
  readonly contributes: {
    readonly configuration: readonly { readonly title: string; readonly properties: object }[];
    readonly colors: readonly { readonly id: string; readonly description: string }[];
  };
}

export function withSettingsTables(text: string, manifest: Manifest): string;
