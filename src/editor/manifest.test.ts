import * as fs from "node:fs";
import { describe, expect, it } from "vitest";
import { LANGUAGES, manifestIn } from "../../scripts/manifestTexts.mjs";
import { PROVIDER } from "./agents/agentServer.ts";

const root = new URL("../../", import.meta.url);
const manifest = manifestIn("en");
const { contributes } = manifest;

interface Setting {
  readonly type: string;
  readonly default: unknown;
  readonly scope: string;
  readonly order: number;
  readonly markdownDescription: string;
  readonly enum?: readonly string[];
  readonly markdownEnumDescriptions?: readonly string[];
}

const settings = new Map<string, Setting>(
  contributes.configuration.flatMap(({ properties }) => Object.entries<Setting>(properties)),
);

describe("extension manifest", () => {
  it("names the servers for agents that are registered", () => {
    expect(contributes.mcpServerDefinitionProviders).toEqual([{ id: PROVIDER, label: "Jetson Memory Profiler" }]);
  });

  it("uses only declared commands in menus and links", () => {
    const declared = new Set(contributes.commands.map(({ command }) => command));
    const items: readonly { readonly command?: string; readonly submenu?: string }[] = Object.values(
      contributes.menus,
    ).flat();
    const used = items.flatMap(({ command }) => command ?? []);
    const submenus: readonly string[] = contributes.submenus.map(({ id }) => id);
    expect(new Set(items.flatMap(({ submenu }) => submenu ?? []))).toEqual(new Set(submenus));
    for (const id of submenus) expect(Object.keys(contributes.menus), id).toContain(id);
    const linked = [
      ...JSON.stringify([contributes.viewsWelcome, contributes.walkthroughs]).matchAll(
        /command:(jetsonMemprof\.\w+)\)/g,
      ),
    ];
    expect(linked.length).toBeGreaterThan(3);
    for (const command of [...used, ...linked.map(([, id]) => id ?? "")]) {
      expect(command === "jetsonMemprof.runs.focus" || declared.has(command), command).toBe(true);
    }
  });

  it("has each command that the code leads to", () => {
    const source = new URL("src/", root);
    const files = fs.readdirSync(source, { recursive: true, encoding: "utf8" });
    const led = files
      .filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.startsWith("server/standalone"))
      .flatMap((file) => [
        ...fs
          .readFileSync(new URL(file, source), "utf8")
          .matchAll(/(?:(?:execute|run)Command\(|command(?::| =)|phrase\("[^"]*"\),) ?"(jetsonMemprof\.[\w.]+)"/g),
      ])
      .map(([, id = ""]) => id);
    expect(led.length).toBeGreaterThan(20);
    // Menus of the status bar, and what VS Code makes of a view.
    const others = ["runMenu", "comparisonMenu", "runs.focus"].map((id) => `jetsonMemprof.${id}`);
    const declared = new Set([...contributes.commands.map(({ command }) => command), ...others]);
    expect(led.filter((id) => !declared.has(id))).toEqual([]);
  });

  it("starts the extension for each page that comes back after a restart, and for no other", () => {
    const source = new URL("src/editor/", root);
    const restored = fs
      .readdirSync(source, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => [...fs.readFileSync(new URL(file, source), "utf8").matchAll(/\brestorePages\("(\w+)"/g)])
      .map(([, page = ""]) => `onWebviewPanel:jetsonMemprof.${page}`);
    const started = manifest.activationEvents.filter((event) => event.startsWith("onWebviewPanel:"));
    expect(restored.length).toBeGreaterThan(0);
    expect(restored.sort()).toEqual([...started].sort());
  });

  it("contributes each color the code uses, for all four kinds of theme", () => {
    const color = /^#[0-9a-f]{6}([0-9a-f]{2})?$/;
    for (const { id, defaults } of contributes.colors) {
      for (const kind of ["dark", "light", "highContrast", "highContrastLight"] as const) {
        expect(defaults[kind], `${id} ${kind}`).toMatch(color);
      }
    }
    const declared = new Set(contributes.colors.map(({ id }) => id));
    for (const style of ["none", "low", "medium", "high", "freed", "stale"]) {
      expect(declared).toContain(`jetsonMemprof.${style}Foreground`);
    }
  });

  it("keeps a readable contrast of each figure against the background of its kind of theme", () => {
    const backgrounds = { dark: "#1f1f1f", light: "#ffffff", highContrast: "#000000", highContrastLight: "#ffffff" };
    for (const { id, defaults } of contributes.colors.filter(({ id }) => id.endsWith("Foreground"))) {
      for (const kind of ["dark", "light", "highContrast", "highContrastLight"] as const) {
        const least = kind.startsWith("high") ? 7 : 4.5;
        expect(contrast(defaults[kind], backgrounds[kind]), `${id} ${kind}`).toBeGreaterThanOrEqual(least);
      }
    }
  });

  it("says of each setting its default, gives an example, and has a unit where it is a number", () => {
    for (const [name, { type, default: value, markdownDescription: text }] of settings) {
      expect(text, name).toMatch(/ Example: `[^`]+`.*\.$/);
      if (!isEmpty(value)) expect(text, name).toContain(` Default: \`${value}\`.`);
      if (/^(number|integer)$/.test(type))
        expect(text, name).toMatch(/ Unit: (MiB|KiB|ms|percent|lines|events|runs|days)\./);
    }
  });

  it("gives no example that is the default", () => {
    for (const [name, { default: value, markdownDescription: text }] of settings) {
      expect(text.split(" Example: ")[1], name).not.toMatch(`\`${String(value)}\``);
    }
  });

  it("describes each choice of a setting, and has the settings of a category in an order of their own", () => {
    for (const [name, { enum: choices, markdownEnumDescriptions: texts }] of settings) {
      expect(texts?.length, name).toBe(choices?.length);
    }
    for (const { properties } of contributes.configuration) {
      const orders = Object.values<Setting>(properties).map(({ order }) => order);
      expect(orders).toEqual(orders.map((_, i) => i + 1));
    }
  });

  it("has settings that are found by the words people look for", () => {
    const text = [...settings].map(([name, { markdownDescription }]) => `${name} ${markdownDescription}`).join("\n");
    for (const word of [
      "host",
      "SSH",
      "board",
      "GPU",
      "CUDA",
      "RAM",
      "swap",
      "virtual environment",
      "environment variables",
    ]) {
      expect(text.toLowerCase(), word).toContain(word.toLowerCase());
    }
  });

  it("has the files that it names", () => {
    const walkthroughs = LANGUAGES.flatMap((language) => manifestIn(language).contributes.walkthroughs);
    const media = walkthroughs.flatMap(({ steps }) => steps.map((step) => step.media.svg));
    for (const file of [manifest.icon, ...media, ...contributes.viewsContainers.activitybar.map(({ icon }) => icon)]) {
      expect(fs.existsSync(new URL(file, root)), file).toBe(true);
    }
  });

  it("lets an untrusted workspace set neither host nor interpreter", () => {
    const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
    for (const name of ["jetsonMemprof.target", "jetsonMemprof.python", "jetsonMemprof.boardFolder"]) {
      expect(restricted).toContain(name);
      expect(settings.get(name)?.scope).toBe("machine-overridable");
    }
  });

  it("lets an untrusted workspace set nothing but how figures are shown", () => {
    const restricted = new Set(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations);
    const free = [...settings.keys()].filter((name) => !restricted.has(name));
    expect(free.filter((name) => !/^jetsonMemprof\.(decorations|codeLens)\./.test(name))).toEqual([]);
    expect([...restricted].filter((name) => !settings.has(name))).toEqual([]);
  });
});

const isEmpty = (value: unknown): boolean =>
  value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** The contrast of WCAG 2. */
function contrast(first: string, second: string): number {
  const [light = 0, dark = 0] = [luminance(first), luminance(second)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const part = (at: number): number => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}
