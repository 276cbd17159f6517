/** What the extension host calls: runs the suite with mocha and writes down how it ended. */
import * as fs from "node:fs";
import Mocha from "mocha";

export interface InHostResults {
  readonly passed: readonly string[];
  readonly failed: readonly { readonly title: string; readonly message: string }[];
  readonly pending: readonly string[];
}

export async function run(): Promise<void> {
  const file = process.env["INHOST_RESULTS"];
  if (!file) throw new Error("INHOST_RESULTS must name the file for the results.");
  const passed: string[] = [];
  const pending: string[] = [];
  const failed: { title: string; message: string }[] = [];
  const mocha = new Mocha({ ui: "bdd", timeout: 150_000 });
  mocha.suite.emit("pre-require", globalThis, "", mocha);
  await import("./suite.ts");
  await new Promise<void>((resolve) => {
    mocha
      .run(() => resolve())
      .on("pass", (test) => passed.push(test.fullTitle()))
      .on("pending", (test) => pending.push(test.fullTitle()))
      .on("fail", (test, error: Error) =>
        failed.push({ title: test.fullTitle(), message: error.stack ?? String(error) }),
      );
  });
  // Written at the very end: a host that dies on the way leaves no results, which counts as a failure.
  const results: InHostResults = { passed, failed, pending };
  fs.writeFileSync(file, JSON.stringify(results, null, 2));
  if (failed.length > 0) throw new Error(`${failed.length} of the tests in the extension host failed.`);
}
