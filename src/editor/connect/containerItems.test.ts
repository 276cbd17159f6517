import { describe, expect, it } from "vitest";
import { containerItems } from "./containerItems.ts";

const ENGINES = [
  { name: "docker", containers: [{ name: "trainer", image: "l4t:r36" }], images: ["l4t:r36"], error: null },
  {
    name: "podman",
    containers: [{ name: "trainer", image: "other" }],
    images: ["l4t:r36", "b\u202Ead:1"],
    error: null,
  },
] as const;
const texts = (set: string): readonly string[] =>
  containerItems(ENGINES as never, set).map(
    ({ label, description, inside }) => `${label} | ${description ?? ""} | ${inside}`,
  );

describe("the containers that are offered", () => {
  it("are those that run, the images, and none", () => {
    expect(texts("")).toEqual([
      "On the board itself | (set now) | ",
      "trainer | runs now, of l4t:r36 (docker) | container:trainer",
      "l4t:r36 | a new container of this image (docker) | image:l4t:r36",
      expect.stringMatching(/^b.*ad:1 \| a new container of this image \(podman\)/),
    ]);
    expect(texts("")[3]?.split(" | ")[0]).not.toContain("\u202E");
  });

  it("begin with the one that is set, where it is still there", () => {
    expect(texts("image:l4t:r36")[0]).toBe(
      "l4t:r36 | a new container of this image (docker) (set now) | image:l4t:r36",
    );
    expect(texts("container:gone")[0]).toBe("On the board itself |  | ");
  });
});
