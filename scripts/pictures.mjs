// Takes the pictures of README and docs anew: runs the tests that show what is on them, and writes their screenshots
// as WebP. Usage: node scripts/pictures.mjs [PICTURE…], such as `lenet-dark ledger`. Look at each before it is committed.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { chromium } from "playwright-core";
import { chromiumProgram } from "./chromium.mjs";
import { root } from "./setup.mjs";

const inWorkbench = (to, shot, story) => ({ to, shot, project: "workbench", file: `stories/${story}.test` });
/** A page of the gallery, down to a height where it is a long one. */
const inGallery = (to, name, height, theme = "dark") => ({
  to,
  shot: `gallery/${name}-${theme}`,
  height,
  project: "integration",
  file: "everyPage.test",
});
const PAGES = ["compare", "doctor", "ending", "massif", "memory", "model", "snapshot", "sweep", "timeline", "trace"];
const THEMES = ["light", "hc-dark", "hc-light"];
/** `shot`: a screenshot's name, from the test's `file` in a project of vitest. */
const PICTURES = [
  inWorkbench("media/screenshots/lenet-dark.webp", "14-lenet", "lenet"),
  inWorkbench("media/screenshots/massif-dark.webp", "massif-11-dark", "massif"),
  inWorkbench("docs/pictures/lost-connection.webp", "reattach-1-lost-dark", "reattach"),
  inGallery("docs/pictures/ledger.webp", "memory", 1580),
  inGallery("docs/pictures/why-killed.webp", "ending"),
  inGallery("docs/pictures/model.webp", "model", 1310),
  inGallery("docs/pictures/snapshot.webp", "snapshot"),
  inGallery("docs/pictures/snapshot-compared.webp", "snapshot-compared", 700),
  inGallery("docs/pictures/compare.webp", "compare"),
  { to: "docs/pictures/report.webp", shot: "report-light", project: "integration", file: "exportReport.test" },
  ...PAGES.flatMap((name) =>
    THEMES.map((theme) => inGallery(`docs/pictures/themes/${name}-${theme}.webp`, name, 1400, theme)),
  ),
];
/** The main job in one picture that moves: screenshots of one test, and how long each is seen, in milliseconds. */
const ANIMATED = {
  to: "media/screenshots/main-job.webp",
  project: "workbench",
  file: "stories/lenet.test",
  frames: [
    ["job-1-menu", 1_800],
    ["job-2-board", 1_500],
    ["job-3-live", 2_000],
    ["job-4-answer", 3_500],
    ["14-lenet", 4_500],
  ],
};
/** Text stays sharp, and a picture has some 50 kB. */
const QUALITY = 0.55;

const nameOf = ({ to }) => path.basename(to, ".webp");
const wanted = process.argv.slice(2);
const ALL = [...PICTURES, ANIMATED];
const unknown = wanted.filter((name) => !ALL.some((picture) => nameOf(picture) === name));
if (unknown.length > 0) {
  console.error(`There is no picture ${unknown.join(", ")}. There are: ${ALL.map(nameOf).join(", ")}.`);
  process.exit(64);
}
const chosen = ALL.filter((picture) => wanted.length === 0 || wanted.includes(nameOf(picture)));

const screenshot = ({ shot }) => path.join(root, "test/artifacts", `${shot}.png`);
const started = Date.now();
const isNew = (file) => fs.existsSync(file) && fs.statSync(file).mtimeMs >= started;
for (const project of new Set(chosen.map((picture) => picture.project))) {
  const files = new Set(chosen.filter((picture) => picture.project === project).map(({ file }) => file));
  try {
    execFileSync("npx", ["vitest", "run", "--project", project, ...files], { cwd: root, stdio: "inherit" });
  } catch {
    // A test may fail after its picture was taken; one that was not taken is told below.
    console.error("A test failed: its picture may show why.");
  }
}

const browser = await chromium.launch({ executablePath: chromiumProgram(), args: ["--no-sandbox"] });
const page = await browser.newPage();
let missing = 0;
for (const picture of chosen.filter((each) => each !== ANIMATED)) {
  const from = screenshot(picture);
  if (!isNew(from)) {
    console.error(`${picture.to}: no new screenshot ${picture.shot}. Its test was skipped or failed before.`);
    missing += 1;
    continue;
  }
  const png = `data:image/png;base64,${fs.readFileSync(from, "base64")}`;
  const webp = await page.evaluate(
    async ([source, quality, height]) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = image.width;
      canvas.height = Math.min(image.height, height);
      canvas.getContext("2d").drawImage(image, 0, 0);
      return canvas.toDataURL("image/webp", quality);
    },
    [png, QUALITY, picture.height ?? Number.MAX_SAFE_INTEGER],
  );
  const bytes = Buffer.from(webp.split(",")[1], "base64");
  fs.writeFileSync(path.join(root, picture.to), bytes);
  console.log(`${picture.to}: ${(bytes.length / 1000).toFixed(0)} kB`);
}
await browser.close();
if (chosen.includes(ANIMATED)) missing += animate(ANIMATED);
process.exitCode = missing === 0 ? 0 : 1;

/** @returns how many pictures were not made */
function animate({ to, frames }) {
  const files = frames.map(([shot, shown]) => [screenshot({ shot }), shown]);
  const old = files.filter(([file]) => !isNew(file));
  if (old.length > 0) {
    console.error(`${to}: no new screenshot ${old.map(([file]) => path.basename(file)).join(", ")}.`);
    return 1;
  }
  const target = path.join(root, to);
  const each = files.flatMap(([file, shown]) => ["-lossy", "-q", "60", "-d", String(shown), file]);
  try {
    execFileSync("img2webp", ["-loop", "0", "-min_size", ...each, "-o", target], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  } catch (error) {
    console.error(`${to}: ${error.code === "ENOENT" ? "img2webp is missing: it is in Debian's package webp" : error}.`);
    return 1;
  }
  console.log(`${to}: ${(fs.statSync(target).size / 1000).toFixed(0)} kB`);
  return 0;
}
