// Draws icon.svg as icon.png (128 px), the picture shops and the extensions view show: node media/render-icon.mjs
import * as fs from "node:fs";
import { chromium } from "playwright-core";
import { chromiumProgram } from "../scripts/chromium.mjs";

const svg = fs.readFileSync(new URL("icon.svg", import.meta.url), "utf8");
const browser = await chromium.launch({
  executablePath: chromiumProgram(),
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});
try {
  const page = await browser.newPage({ viewport: { width: 128, height: 128 } });
  await page.setContent(`<body style="margin:0;background:transparent">${svg}</body>`);
  fs.writeFileSync(new URL("icon.png", import.meta.url), await page.screenshot({ omitBackground: true }));
} finally {
  await browser.close();
}
