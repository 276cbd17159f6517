import { afterEach, describe, expect, it } from "vitest";
import { catalogue } from "../../../scripts/words.mjs";
import { speakChinese } from "../../words/testing.ts";
import { targetItems, targetLabel, targetShortName, typedItem } from "./targetItems.ts";

const labels = (items: readonly { label: string }[]) => items.map(({ label }) => label);

describe("targetItems", () => {
  it("offers the SSH configuration's hosts, then this computer and the simulated board", () => {
    expect(labels(targetItems({ remembered: undefined, configured: ["nano", "orin"], runsHere: true }))).toEqual([
      "nano",
      "orin",
      "This computer",
      "Simulated board (this computer, over SSH)",
    ]);
  });

  it("puts the remembered target first and offers it once", () => {
    const items = targetItems({ remembered: "ssh://orin", configured: ["nano", "orin"], runsHere: false });
    expect(labels(items)).toEqual(["orin", "nano"]);
    expect(items[0]?.description).toBe("last used");
    expect(
      labels(targetItems({ remembered: "ssh://me@10.0.0.7:2222", configured: ["nano"], runsHere: false })),
    ).toEqual(["me@10.0.0.7:2222", "nano"]);
  });

  it("offers this computer only where it can run the script", () => {
    expect(targetItems({ remembered: "loopback", configured: [], runsHere: false })).toEqual([]);
    expect(targetItems({ remembered: "loopback", configured: [], runsHere: true })[0]).toMatchObject({
      label: "Simulated board (this computer, over SSH)",
      description: "last used",
      target: "loopback",
    });
  });
});

describe("typedItem", () => {
  const check = (text: string) => (text.startsWith("-") ? 'The host begins with "-".' : undefined);

  it("follows what is typed", () => {
    expect(typedItem("", check)).toMatchObject({ label: "Type a host…" });
    expect(typedItem("", check).target).toBeUndefined();
    expect(typedItem(" me@nano ", check)).toMatchObject({ label: "Connect to me@nano", target: "me@nano" });
    expect(typedItem("-oX", check)).toEqual({
      label: "Type a host…",
      detail: 'The host begins with "-".',
      icon: "edit",
    });
  });
});

describe("names", () => {
  it("reads as a person says it", () => {
    expect(targetLabel("ssh://nano@10.0.0.2")).toBe("nano@10.0.0.2");
    expect(targetShortName("ssh://nano@10.0.0.2")).toBe("10.0.0.2");
    expect(targetShortName("loopback")).toBe("simulated board");
  });
});

describe("in Chinese", () => {
  let speakEnglish = (): void => undefined;
  afterEach(() => speakEnglish());

  it("offers and names the targets", () => {
    speakEnglish = speakChinese(catalogue("zh-cn"));
    expect(labels(targetItems({ remembered: "loopback", configured: [], runsHere: true }))).toEqual([
      "模拟开发板（本机，通过 SSH）",
      "本机",
    ]);
    expect(targetShortName("loopback")).toBe("模拟开发板");
  });
});
