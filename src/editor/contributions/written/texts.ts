/** The texts of the manifest by the keys that it has for them, in a language. */
import { COLORS } from "../colors.ts";
import { COMMAND_GROUPS } from "../commands.ts";
import type { Command, Said, SettingValue, Text } from "../model.ts";
import { SETTING_CATEGORIES, SETTING_VALUES } from "../settings.ts";
import { TEXTS } from "../texts.ts";
import { WALKTHROUGH } from "../walkthrough.ts";

export type Language = keyof Text;

/** All commands by their names, in the order of the documents. */
export const commandEntries = (): readonly (readonly [name: string, Command])[] =>
  COMMAND_GROUPS.flatMap(({ commands }) => Object.entries<Command>(commands));

export const declaredValue = (name: string): SettingValue => {
  const value = new Map<string, SettingValue>(Object.entries(SETTING_VALUES)).get(name);
  if (value === undefined) throw new Error(`There is no setting ${name}.`);
  return value;
};

export const saidIn = (said: Said, language: Language): string => (typeof said === "string" ? said : said[language]);

/** The folder of a language's pictures of the first steps. */
const PICTURES: Readonly<Text> = { en: "media/walkthrough", zh: "media/walkthrough/zh-cn" };

/** Each text by its key; what is the same in every language needs none. */
export function textsIn(language: Language): Readonly<Record<string, string>> {
  const said: readonly (readonly [key: string, said: Said])[] = [
    ...Object.entries<Said>(TEXTS),
    ...commandEntries().map(([name, { title }]) => [commandKey(name), title] as const),
    ...walkthroughTexts(),
    ...SETTING_CATEGORIES.flatMap(({ id, title, settings }) => [
      [categoryKey(id), title] as const,
      ...Object.entries(settings).flatMap(([name, setting]) => [
        [settingKey(name), settingText(name, language)] as const,
        ...Object.entries(setting.choices ?? {}).flatMap(([choice, { name: called, says }]) => [
          ...(typeof called === "string" ? [] : [[choiceNameKey(name, choice), called] as const]),
          [choiceKey(name, choice), says] as const,
        ]),
      ]),
    ]),
    ...Object.entries(COLORS).map(([name, { says }]) => [colorKey(name), says] as const),
  ];
  return Object.fromEntries(said.map(([key, text]) => [key, saidIn(text, language)]));
}

function* walkthroughTexts(): Generator<readonly [key: string, said: Said]> {
  yield [walkthroughKey("title"), WALKTHROUGH.title];
  yield [walkthroughKey("description"), WALKTHROUGH.description];
  for (const [name, { title, description, picture }] of Object.entries(WALKTHROUGH.steps)) {
    yield [walkthroughKey(`${name}.title`), title];
    yield [walkthroughKey(`${name}.description`), description];
    yield [walkthroughKey(`${name}.picture`), picture];
    yield [walkthroughKey(`${name}.svg`), { en: `${PICTURES.en}/${name}.svg`, zh: `${PICTURES.zh}/${name}.svg` }];
  }
}

/** What VS Code shows of a setting: what it does, its default, an example. */
function settingText(name: string, language: Language): string {
  const setting = SETTING_CATEGORIES.flatMap(({ settings }) => Object.entries(settings)).find(
    ([id]) => id === name,
  )?.[1];
  if (setting === undefined) throw new Error(`There is no setting ${name}.`);
  const says = setting.says[language];
  const value = defaultText(declaredValue(name));
  const example = saidIn(setting.example, language);
  return language === "en"
    ? `${says}${value === undefined ? "" : ` Default: \`${value}\`.`} Example: ${example}.`
    : `${says}${value === undefined ? "" : `默认值：\`${value}\`。`}示例：${example}。`;
}

/** Undefined: empty. */
export function defaultText({ default: value }: SettingValue): string | undefined {
  return typeof value === "object" || value === "" ? undefined : String(value);
}

export const commandKey = (name: string): string => `command.${name}`;
export const settingKey = (name: string): string => `setting.${name}`;
export const choiceKey = (name: string, choice: string): string => `setting.${name}.${choice}`;
export const choiceNameKey = (name: string, choice: string): string => `setting.${name}.${choice}.name`;
export const categoryKey = (id: string): string => `settings.${id}`;
export const colorKey = (name: string): string => `color.${name}`;
export const walkthroughKey = (part: string): string => `walkthrough.${part}`;
