/** Tests that need something installed: skipped loudly by name on a developer's machine, failing where CI says so. */
import { existsSync } from "node:fs";

/** Whether `path` is there. With CI=true a missing one throws, so that nothing is skipped silently. */
export function requirement(name: string, path: string): boolean {
  if (existsSync(path)) return true;
  if (process.env["CI"] === "true")
    throw new Error(`${name} is missing (looked for ${path}); install it to run these tests`);
  console.warn(`SKIPPED: tests that need ${name} (looked for ${path})`);
  return false;
}
