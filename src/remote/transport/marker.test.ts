import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { conceal } from "../secrets.ts";
import { afterMarker } from "./marker.ts";

const noise = {
  name: "nano@board",
  onNoise: () => {},
  conceal: (text: string) => conceal(text, ["hunter22"]),
  isLost: async () => false,
};

async function read(printed: string, isLost = noise.isLost): Promise<string> {
  const pieces: Buffer[] = [];
  const source = Readable.from([Buffer.from(printed)]);
  for await (const piece of afterMarker(source, "mark", { ...noise, isLost })) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

it("gives what a program printed, without what start-up files printed before", async () => {
  expect(await read("Welcome\n\nmark\n{}\nmore")).toBe("{}\nmore");
});

it("tells what a shell printed that ran nothing, without what a person had typed", async () => {
  await expect(read(`${"x".repeat(390)} hunter22: account disabled`)).rejects.toMatchObject({
    code: "no-shell",
    message: expect.stringMatching(/it printed: x{390} •••: acc/),
  });
  const other = await read("hunter22: \u001b[31mno").catch((error: Error) => error.message);
  expect(other).toContain("it printed: •••: ?[31mno");
});

it("does not blame the shell where the connection went before it could say anything", async () => {
  expect(await read("Welco", async () => true)).toBe("");
});

it("does not blame the shell where the connection went before it could say anything", async () => {
  expect(await read("Welco", async () => true)).toBe("");
});
