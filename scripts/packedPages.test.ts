import { describe, expect, it } from "vitest";
import { packedPage, relativeTargets } from "./packedPages.mjs";

describe("a page as it is packed", () => {
  it("leaves out pictures, which would be shown as broken", () => {
    expect(packedPage("# Title\n\n![A script](media/a.webp)\n\nText\n")).toBe("# Title\n\nText\n");
  });

  it("leaves out what is done in a clone", () => {
    expect(packedPage("# Title\n\n## Two commands\n```sh\nnpm start\n```\nMore\n\n## Use it\nText\n")).toBe(
      "# Title\n\n## Use it\nText\n",
    );
  });

  it("leaves out what changed before the first version, not what changed since", () => {
    const first = "## [Unreleased]\n### Added\n- It.\n\n### Changed\n- That.\n\n### Fixed\n- This.\n";
    expect(packedPage(first)).toBe("## [Unreleased]\n### Added\n- It.\n");
    const second = `${first}\n## [0.1.0]\n### Added\n- All.\n`;
    expect(packedPage(second)).toBe(second);
  });

  it("names a document instead of leading to it, and says where such files are", () => {
    expect(packedPage("See [settings](docs/settings.md#colors) and [docs/gate.md](docs/gate.md).\n")).toBe(
      "See settings (`docs/settings.md`) and `docs/gate.md`.\n\nFiles that are named here are in the project's source code, the pictures too.\n",
    );
  });

  it("keeps what leads somewhere from everywhere", () => {
    const page = "[a](https://example.org/a.md), [b](#use-it), [c](mailto:a@example.org)\n";
    expect(packedPage(page)).toBe(page);
  });

  it("is refused with a link in a form that would stay dead", () => {
    expect(() => packedPage('<img src="media/a.webp">')).toThrow(/dead in the package: media\/a\.webp/);
  });
});

describe("what a page leads to", () => {
  it("is found in Markdown and in HTML", () => {
    expect(
      relativeTargets('[a](docs/a.md) <a href="b.md">b</a> <img alt="" src=\'c.png\'> [d](https://d.org)'),
    ).toEqual(["docs/a.md", "b.md", "c.png"]);
  });
});
