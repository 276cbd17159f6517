import { describe, expect, it } from "vitest";
import { formatInside, parseInside } from "./place.ts";

describe("where on a board a run is", () => {
  it.each([
    ["container:trainer", { kind: "container", name: "trainer" }],
    [" container:c0ffee_1.x ", { kind: "container", name: "c0ffee_1.x" }],
    ["image:l4t", { kind: "image", name: "l4t" }],
    ["image:nvcr.io:5000/nvidia/l4t:r36@sha256:ab", { kind: "image", name: "nvcr.io:5000/nvidia/l4t:r36@sha256:ab" }],
  ])("is read from %s, and written again", (text, place) => {
    expect(parseInside(text)).toEqual({ ...place, options: [] });
    expect(formatInside(parseInside(text))).toBe(text.trim());
  });

  it.each([
    "",
    "trainer",
    "pod:x",
    "container:",
    "image:",
    "container:--privileged",
    "container:a b",
    "container:$(reboot)",
    "container:a/b",
    "image:-v",
    "image:a\nb",
    "image:a\u202Eb",
    `container:${"x".repeat(300)}`,
  ])("is not %j, which could be no name or an option of the engine", (text) => {
    expect(() => parseInside(text)).toThrow(expect.objectContaining({ code: "bad-inside" }));
  });

  it("has options only where a container is made", () => {
    expect(parseInside("image:l4t", ["--memory=4g"]).options).toEqual(["--memory=4g"]);
    expect(() => parseInside("container:x", ["--memory=4g"])).toThrow(expect.objectContaining({ code: "bad-inside" }));
  });
});
