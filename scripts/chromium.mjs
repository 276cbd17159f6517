// Which Chromium draws pages in tests and pictures, found without starting it.
import * as fs from "node:fs";

/**
 * The headless shell is the same engine without a browser's own window and panels: it needs half the processor time.
 * Debian has both as packages; where a release has the whole Chromium only, that one does.
 */
const PROGRAMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const WHOLE = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** See chromium.d.mts. */
export function chromiumProgram() {
  return process.env.CHROMIUM ?? PROGRAMS.find((program) => fs.existsSync(program)) ?? PROGRAMS[0];
}

/** See chromium.d.mts. */
export function wholeChromium() {
  const found = WHOLE.find((program) => fs.existsSync(program));
  if (found) return found;
  throw new Error("Benchmarks draw in a whole Chromium, which is not installed: sudo apt-get install chromium");
}
