import { it } from "vitest";
import * as fs from "node:fs";
import * as ui from "../support/ui.ts";
import { openWorkbench } from "../support/workbench.ts";

it("looks", async () => {
  fs.rmSync("/tmp/e-empty", { recursive: true, force: true }); fs.mkdirSync("/tmp/e-empty"); fs.cpSync("/tmp/e-ws/alloc.py", "/tmp/e-empty/alloc.py");
  const w = await openWorkbench({ folder: "/tmp/e-empty", extension: { development: "/tmp/e-ext" }, settings: { "workbench.colorTheme": "Default Dark Modern" } });
  const shot = async (n: string) => { await w.page.waitForTimeout(600); await w.screenshot(`e-${n}`); };
  try {
    await ui.openFile(w.page, "alloc.py");
    await ui.showView(w.page, "Jetson Memory");
    await w.page.waitForTimeout(3000);
    await shot("welcome");
    fs.cpSync("/tmp/e-ws/.jetson-memprof", w.workspace + "/.jetson-memprof", { recursive: true });
    await ui.treeRow(w.page, "alloc.py").waitFor({ timeout: 8000 }).then(() => console.log("watcher ok"), () => console.log("watcher did NOT see it"));
    await ui.runCommand(w.page, "Jetson: Profile on Jetson with Options");
    await ui.pickQuickPick(w.page, "This computer");
    await shot("options1");
    await ui.answerInputBox(w.page, "1 of 3", "--a 'b c'");
    await shot("options2");
    await ui.pickQuickPick(w.page, "Line engine, exact");
    await shot("options3");
    await w.page.keyboard.press("Enter");
    await shot("error");
    await ui.dismissNotifications(w.page);
    await ui.runCommand(w.page, "Developer: Show Running Extensions");
    await w.page.waitForTimeout(2000);
    await shot("running");
    await ui.runCommand(w.page, "Welcome: Open Walkthrough");
    await w.page.keyboard.type("Find the line");
    await w.page.waitForTimeout(1000);
    await w.page.keyboard.press("Enter");
    await w.page.waitForTimeout(2500);
    await shot("walk");
  } catch (error) {
    await shot("fail");
    console.log(w.consoleLines.filter((l) => /error/i.test(l)).slice(-10).join("\n"));
    throw error;
  } finally {
    await w.close();
  }
});
