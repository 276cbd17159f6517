/** The parts of package.json that are written from the declarations; the rest of it stands there. */
import { defined } from "../../../profile/defined.ts";
import { COLORS } from "../colors.ts";
import { SUBMENU_PLACES } from "../menus.ts";
import type { MenuItem, Said, Setting, SettingValue } from "../model.ts";
import { RESTORED_PAGES } from "../pages.ts";
import { SETTING_CATEGORIES } from "../settings.ts";
import { WALKTHROUGH } from "../walkthrough.ts";
import {
  categoryKey,
  choiceKey,
  choiceNameKey,
  colorKey,
  commandEntries,
  commandKey,
  declaredValue,
  settingKey,
  walkthroughKey,
} from "./texts.ts";

interface Manifest {
  readonly activationEvents: readonly string[];
  readonly capabilities: { readonly untrustedWorkspaces: object };
  readonly contributes: object;
}

const PAGE_EVENT = "onWebviewPanel:";
const idOf = (name: string): string => `jetsonMemprof.${name}`;
const keyed = (key: string): string => `%${key}%`;
/** What is the same in every language stands in the manifest itself. */
const saidBy = (said: Said, key: string): string => (typeof said === "string" ? said : keyed(key));

/** The manifest with what is declared, each part where it was. */
export function withDeclared<Whole extends Manifest>(manifest: Whole): Whole {
  const { activationEvents, capabilities, contributes } = manifest;
  const restrictedConfigurations = settingEntries().flatMap(([name, { needsTrust }]) =>
    needsTrust ? [idOf(name)] : [],
  );
  return {
    ...manifest,
    activationEvents: [
      ...activationEvents.filter((event) => !event.startsWith(PAGE_EVENT)),
      ...RESTORED_PAGES.map((page) => PAGE_EVENT + idOf(page)),
    ],
    capabilities: {
      ...capabilities,
      untrustedWorkspaces: { ...capabilities.untrustedWorkspaces, restrictedConfigurations },
    },
    contributes: {
      ...contributes,
      commands: commands(),
      keybindings: keybindings(),
      menus: menus(),
      walkthroughs: [walkthrough()],
      configuration: configuration(),
      colors: colors(),
    },
  };
}

const settingEntries = (): readonly (readonly [name: string, Setting])[] =>
  SETTING_CATEGORIES.flatMap(({ settings }) => Object.entries<Setting>(settings));

const commands = (): readonly object[] =>
  commandEntries().map(([name, { icon, enablement }]) => ({
    command: idOf(name),
    title: keyed(commandKey(name)),
    category: keyed("category"),
    ...(icon === undefined ? {} : { icon: `$(${icon})` }),
    ...defined({ enablement }),
  }));

const keybindings = (): readonly object[] =>
  commandEntries().flatMap(([name, { keys = [] }]) => keys.map((each) => ({ command: idOf(name), ...each })));

/** By menu, each in the order that VS Code shows it in. */
function menus(): Readonly<Record<string, readonly object[]>> {
  const places: readonly (MenuItem & object)[] = [
    ...commandEntries().flatMap(([name, { menus: own = [] }]) => own.map((item) => ({ command: idOf(name), ...item }))),
    ...SUBMENU_PLACES,
  ];
  const hidden = commandEntries()
    .filter(([, command]) => "hidden" in command)
    .map(([name]) => ({ command: idOf(name), when: "false" }));
  const byMenu = new Map<string, readonly object[]>([["commandPalette", hidden]]);
  for (const { in: menu, ...item } of [...places].sort((a, b) => inOrder(a.group, b.group)))
    byMenu.set(menu, [...(byMenu.get(menu) ?? []), item]);
  const [palette, ...others] = byMenu;
  return Object.fromEntries(
    [palette, ...others.sort(([a], [b]) => inOrder(a, b))].flatMap((each) => (each ? [each] : [])),
  );
}

/** Whatever the machine's language is. */
const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function walkthrough(): object {
  return {
    id: idOf(WALKTHROUGH.id),
    title: keyed(walkthroughKey("title")),
    description: keyed(walkthroughKey("description")),
    steps: Object.entries(WALKTHROUGH.steps).map(([name, { reached }]) => ({
      id: name,
      title: keyed(walkthroughKey(`${name}.title`)),
      description: keyed(walkthroughKey(`${name}.description`)),
      media: { svg: keyed(walkthroughKey(`${name}.svg`)), altText: keyed(walkthroughKey(`${name}.picture`)) },
      completionEvents: [`onContext:jetsonMemprof.reached.${reached}`],
    })),
  };
}

const configuration = (): readonly object[] =>
  SETTING_CATEGORIES.map(({ id, settings }, category) => ({
    title: keyed(categoryKey(id)),
    order: category + 1,
    properties: Object.fromEntries(
      Object.entries<Setting>(settings).map(([name, setting], at) => [idOf(name), property(name, setting, at + 1)]),
    ),
  }));

function property(name: string, { scope, choices = {} }: Setting, order: number): object {
  const value = declaredValue(name);
  const described = Object.entries(choices);
  return {
    ...typeOf(value),
    ...(described.length === 0
      ? {}
      : {
          enumItemLabels: described.map(([choice, { name: called }]) => saidBy(called, choiceNameKey(name, choice))),
          markdownEnumDescriptions: described.map(([choice]) => keyed(choiceKey(name, choice))),
        }),
    default: value.default,
    scope,
    order,
    markdownDescription: keyed(settingKey(name)),
  };
}

/** As JSON Schema says it. */
function typeOf(value: SettingValue): object {
  switch (value.kind) {
    case "text":
      return { type: "string" };
    case "flag":
      return { type: "boolean" };
    case "number": {
      const { whole, least, most } = value;
      return { type: whole ? "integer" : "number", minimum: least, ...defined({ maximum: most }) };
    }
    case "choice":
      return { type: "string", enum: value.of };
    case "patterns":
      return { type: "array", items: { type: "string" } };
    case "variables":
      return { type: "object", additionalProperties: { type: "string" } };
  }
}

const colors = (): readonly object[] =>
  Object.entries(COLORS).map(([name, { defaults }]) => ({
    id: idOf(name),
    description: keyed(colorKey(name)),
    defaults,
  }));
