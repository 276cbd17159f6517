import * as fs from "node:fs";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const root = new URL("../../", import.meta.url);
const read = (file: string): string => fs.readFileSync(new URL(file, root), "utf8");
const { contributes } = manifest;

describe("extension manifest", () => {
  it("declares every command the code registers, and no other", () => {
    const registered = [...read("src/editor/commands.ts").matchAll(/\b(?:run|onRun|onRow)\("(\w+)"/g)].map(
      ([, id]) => id,
    );
    // The status bar's menu is reached by its item only.
    const declared = contributes.commands.map(({ command }) => command.replace("jetsonMemprof.", ""));
    expect(registered.filter((id) => id !== "runMenu").sort()).toEqual([...declared].sort());
  });

  it("uses only declared commands in menus and links", () => {
    const declared = new Set(contributes.commands.map(({ command }) => command));
    const used = Object.values(contributes.menus).flatMap((items) => items.map(({ command }) => command));
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

  it("contributes each colour the code uses, for all four kinds of theme", () => {
    const colour = /^#[0-9a-f]{6}([0-9a-f]{2})?$/;
    for (const { id, defaults } of contributes.colors) {
      for (const kind of ["dark", "light", "highContrast", "highContrastLight"] as const) {
        expect(defaults[kind], `${id} ${kind}`).toMatch(colour);
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

  it("has every setting and colour in the documentation, with its files in place", () => {
    const text = read("docs/settings.md");
    const names = [...Object.keys(contributes.configuration.properties), ...contributes.colors.map(({ id }) => id)];
    for (const name of names) expect(text).toContain(`\`${name}\``);
    const media = contributes.walkthroughs.flatMap(({ steps }) => steps.map((step) => step.media.markdown));
    for (const file of [manifest.icon, ...media, ...contributes.viewsContainers.activitybar.map(({ icon }) => icon)]) {
      expect(fs.existsSync(new URL(file, root)), file).toBe(true);
    }
  });

  it("lets an untrusted workspace set neither host nor interpreter", () => {
    const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
    const properties: Record<string, { scope: string }> = contributes.configuration.properties;
    for (const name of ["jetsonMemprof.target", "jetsonMemprof.python", "jetsonMemprof.boardFolder"]) {
      expect(restricted).toContain(name);
      expect(properties[name]?.scope).toBe("machine-overridable");
    }
  });
});

/** The contrast of WCAG 2. */
function contrast(first: string, second: string): number {
  const [light = 0, dark = 0] = [luminance(first), luminance(second)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const part = (at: number): number => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}
