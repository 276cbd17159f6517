/** One browser and one bundle for the tests of a page; each test's page is closed after it and must have had no faults. */
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { hasChromium, launchChromium } from "../../workbench/support/workbench.ts";
import { type Bundle, bundlePage, type OpenPage } from "./page.ts";

export interface Stage {
  /** Whether there is a Chromium to test in. */
  readonly possible: boolean;
  open<View extends OpenPage>(opener: (browser: Browser, bundle: Bundle) => Promise<View>): Promise<View>;
}

/** What several test files share: each calls `use` at its top, which registers what happens before and after its tests. */
export interface SharedStage extends Stage {
  use(): void;
}

/** Call it at the top of a test file. */
export function stagePage(name: Parameters<typeof bundlePage>[0]): Stage {
  const stage = sharedStage(name);
  stage.use();
  return stage;
}

export function sharedStage(name: Parameters<typeof bundlePage>[0]): SharedStage {
  const possible = hasChromium();
  let scenery: readonly [Browser, Bundle] | undefined;
  let opened: OpenPage | undefined;
  return {
    possible,
    use() {
      beforeAll(async () => {
        if (possible) scenery = await Promise.all([launchChromium(), bundlePage(name)]);
      });
      afterAll(() => scenery?.[0].close());
      afterEach(async () => {
        const faults = opened?.faults ?? [];
        await opened?.page.close();
        opened = undefined;
        expect(faults).toEqual([]);
      });
    },
    async open(opener) {
      if (scenery === undefined) throw new Error("The browser is not open.");
      const view = await opener(...scenery);
      opened = view;
      return view;
    },
  };
}
