/**
 * What the extension adds to VS Code, as it is declared in this folder: plain data. `npm run docs` writes package.json,
 * its texts in each language and the tables of the documents from it. Only the values of settings are in the program;
 * nothing of the rest may be imported there but as a type.
 */

/** What people read, in each language. */
export interface Text {
  readonly en: string;
  readonly zh: string;
}

/** The same in every language where it is no more than a name or code. */
export type Said = Text | string;

export interface MenuItem {
  /** The menu's id, as VS Code calls it. */
  readonly in: string;
  readonly when?: string;
  readonly group: string;
}

export interface Keys {
  readonly key: string;
  readonly mac?: string;
  readonly when: string;
  readonly args?: object;
}

/** How a command is described in docs/commands.md. */
type Told =
  /** Markdown, after its title and id. */
  | { readonly says: string }
  /** In the row of another one of its group. */
  | { readonly toldWith: string }
  /** Only from rows and links: the palette does not have it. */
  | { readonly hidden: true };

export type Command = Told & {
  readonly title: Text;
  /** A codicon's name. */
  readonly icon?: string;
  readonly enablement?: string;
  readonly keys?: readonly Keys[];
  readonly menus?: readonly MenuItem[];
};

/** A part of docs/commands.md. */
export interface CommandGroup {
  readonly title: string;
  /** By id, without `jetsonMemprof.`. */
  readonly commands: Readonly<Record<string, Command>>;
}

/** What a setting may be and is by default; what a workspace says is checked by it. */
export type SettingValue =
  | { readonly kind: "text"; readonly default: string }
  | { readonly kind: "flag"; readonly default: boolean }
  | NumberValue
  | { readonly kind: "choice"; readonly of: readonly string[]; readonly default: string }
  /** Of files, as in `.gitignore`. */
  | { readonly kind: "patterns"; readonly default: readonly [] }
  /** Environment variables. */
  | { readonly kind: "variables"; readonly default: Readonly<Record<string, never>> };

export interface NumberValue {
  readonly kind: "number";
  readonly whole?: true;
  readonly default: number;
  readonly least: number;
  readonly most?: number;
}

export interface Setting<Value extends SettingValue = SettingValue> {
  /** What it does, Markdown; of a number its unit, `Unit: MiB.` */
  readonly says: Text;
  /** `` `8` for a short run ``, after “Example:”. */
  readonly example: Said;
  readonly scope: "machine-overridable" | "resource" | "window";
  /** What a workspace sets is not used until the workspace is trusted. */
  readonly needsTrust?: true;
  /** Of a choice: each by its value. */
  readonly choices?: Value extends { readonly of: readonly (infer Name extends string)[] }
    ? Readonly<Record<Name, { readonly name: Said; readonly says: Text }>>
    : undefined;
}

/** A part of the settings, in VS Code and in docs/settings.md, in this order. */
export interface SettingCategory<
  Values extends Readonly<Record<string, SettingValue>> = Readonly<Record<string, SettingValue>>,
> {
  readonly id: string;
  readonly title: Text;
  readonly settings: { readonly [Name in keyof Values]: Setting<Values[Name]> };
}

export interface Color {
  readonly says: Text;
  /** By the kind of theme. */
  readonly defaults: Readonly<Record<"dark" | "light" | "highContrast" | "highContrastLight", string>>;
}

export interface Walkthrough {
  readonly id: string;
  readonly title: Text;
  readonly description: Text;
  readonly steps: Readonly<
    Record<
      string,
      {
        readonly title: Text;
        readonly description: Text;
        /** What is on its picture, `media/walkthrough/` by the step's name. */
        readonly picture: Text;
        /** The milestone that completes it: src/editor/start/milestones.ts. */
        readonly reached: string;
      }
    >
  >;
}
