import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../../support/scene.ts";

describe.each(["docs/security.md", "docs/reliability.md", "SECURITY.md", "test/faults/README.md"])("%s", (document) => {
  const text = readFileSync(join(REPOSITORY, document), "utf8");

  it("names only tests, sources and pages that are there", () => {
    const named = [...text.matchAll(/`((?:test|src|python-helper|scripts)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
    const linked = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path = ""]) =>
      join(dirname(document), path),
    );
    const missing = [...new Set([...named, ...linked])].filter((path) => !existsSync(join(REPOSITORY, path)));
    expect(missing).toEqual([]);
  });
});
