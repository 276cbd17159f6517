import { describe, expect, it } from "vitest";
import { commandTitle } from "./commandTitle.ts";

const manifestWith = (...titles: readonly unknown[]) => ({
  contributes: { commands: titles.map((title, i) => ({ command: `jetsonMemprof.c${i}`, title })) },
});

describe("the title of a command", () => {
  it("is what VS Code read, which of a translated one is an object", () => {
    const manifest = manifestWith("Profile Again", { value: "再次分析内存", original: "Profile Again" });
    expect(commandTitle(manifest, "jetsonMemprof.c0")).toBe("Profile Again");
    expect(commandTitle(manifest, "jetsonMemprof.c1")).toBe("再次分析内存");
  });

  it("has no dots of what asks first", () => {
    expect(commandTitle(manifestWith("Export Run…"), "jetsonMemprof.c0")).toBe("Export Run");
    expect(commandTitle(manifestWith({ value: "导出运行…", original: "" }), "jetsonMemprof.c0")).toBe("导出运行");
  });

  it("is the id where the manifest does not say, whatever is there", () => {
    const odd = [undefined, null, 3, "", {}, { value: 1 }, { value: "" }, []];
    for (const title of odd) expect(commandTitle(manifestWith(title), "jetsonMemprof.c0")).toBe("jetsonMemprof.c0");
    for (const manifest of [undefined, null, "", {}, { contributes: 1 }, { contributes: { commands: [null, 1] } }])
      expect(commandTitle(manifest, "jetsonMemprof.c0")).toBe("jetsonMemprof.c0");
  });
});
