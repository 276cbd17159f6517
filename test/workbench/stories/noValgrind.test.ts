/** A board without valgrind: what to install is said, and the line for it is copied. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, expect, test } from "vitest";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

/** Everything of the system but valgrind. */
const programs = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "wbp-")));
for (const folder of ["/usr/bin", "/usr/sbin"]) {
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    const link = path.join(programs, name);
    if (!name.includes("valgrind") && !fs.existsSync(link)) fs.symlinkSync(path.join(folder, name), link);
  }
}
afterAll(() => fs.rmSync(programs, { recursive: true, force: true }));

const workbench = story("no-valgrind", () => ({
  env: { PATH: programs },
  settings: { "jetsonMemprof.python": "/usr/bin/python3" },
}));

test("a board without valgrind is told of, with the line that installs it", async () => {
  const { page } = workbench();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await ui.openFile(page, "heap.py");
  await ui.pickFromContextMenu(page, ui.line(page, "def build"), "Profile on Jetson with Massif");
  await ui.pickQuickPick(page, "Simulated board");
  const text = await ui.notificationText(page, /[Vv]algrind is not installed/, 60_000);
  expect(text).toContain("sudo apt-get install valgrind");
  await workbench().screenshot("massif-12-no-valgrind");
  // It is said for some seconds only.
  const copied = page.locator(".statusbar-item", { hasText: /Copied.*sudo apt-get install valgrind/ }).waitFor();
  await Promise.all([copied, ui.pressNotificationButton(page, /[Vv]algrind is not installed/, "Copy Install Command")]);
});
