import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import { scaleLinear } from "d3-scale";
import { expect, it } from "vitest";
import { slimLanguageClient, slimScales, slimSsh2 } from "./slimLibraries.mjs";
import { useBundles } from "./testing/bundling.mjs";

const require = createRequire(import.meta.url);

const bundle = useBundles({ external: ["vscode"], plugins: [slimSsh2, slimLanguageClient, slimScales] });

/** A program whose libraries are slim: its file. */
async function slim(contents, name) {
  const file = await bundle(contents, name);
  return { text: fs.readFileSync(file, "utf8"), program: () => require(file) };
}

it("makes the keys of passphrases that tweetnacl makes", async () => {
  const { program, text } = await slim('module.exports = require("bcrypt-pbkdf");', "passphrases");
  const whole = require("bcrypt-pbkdf");
  for (const [passphrase, rounds] of [
    ["a", 1],
    ["correct horse", 16],
    ["密码".repeat(100), 3],
  ]) {
    const made = [program(), whole].map(({ pbkdf }) => {
      const [password, salt, key] = [Buffer.from(passphrase), Buffer.from("0123456789abcdef"), new Uint8Array(48)];
      expect(pbkdf(password, password.length, salt, salt.length, key, key.length, rounds)).toBe(0);
      return Buffer.from(key).toString("hex");
    });
    expect(made[0]).toBe(made[1]);
  }
  expect(text).not.toContain("crypto_stream_xor");
  expect(text).not.toContain("3a39ce37");
});

it("has in ssh2 what we use of it, without SFTP and HTTP", async () => {
  const { program } = await slim('module.exports = require("ssh2");', "ssh2");
  const { utils, HTTPAgent, ...ssh2 } = program();
  const { generateKeyPairSync } = require("ssh2").utils;
  for (const name of ["Client", "Server", "BaseAgent", "createAgent"]) expect(ssh2[name]).toBeTypeOf("function");
  const { private: key } = generateKeyPairSync("ed25519", { passphrase: "p", cipher: "aes256-ctr" });
  expect(utils.parseKey(key, "p").type).toBe("ssh-ed25519");
  expect(utils.parseKey(key, "q")).toBeInstanceOf(Error);
  expect([HTTPAgent, utils.generateKeyPairSync]).toEqual([undefined, undefined]);
});

it("has Poly1305 as ssh2 calls it, with the same results", async () => {
  const { program, text } = await slim('module.exports = require("ssh2/lib/protocol/crypto/poly1305.js");', "poly1305");
  const macOf = async (load) => {
    const { HEAPU8, _malloc, cwrap } = await load();
    const place = _malloc(16);
    const auth = cwrap("poly1305_auth", null, ["number", "array", "number", "array", "number", "array"]);
    return (head, rest, key) => {
      auth(place, head, head.length, rest, rest.length, key);
      return Buffer.from(new Uint8Array(HEAPU8.buffer, place, 16)).toString("hex");
    };
  };
  const [ours, theirs] = [await macOf(program()), await macOf(require("ssh2/lib/protocol/crypto/poly1305.js"))];
  // RFC 8439, 2.5.2
  const key = Buffer.from("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b", "hex");
  const message = Buffer.from("Cryptographic Forum Research Group");
  expect(ours(message.subarray(0, 4), message.subarray(4), key)).toBe("a8061dc1305136c6c22b8baf0c0127a9");
  for (const length of [0, 1, 12, 15, 16, 17, 28, 4096, 35_000]) {
    const [head, rest] = [randomBytes(4), randomBytes(length)];
    const oneTime = randomBytes(32);
    expect(ours(head, rest, oneTime)).toBe(theirs(head, rest, oneTime));
  }
  expect(text).not.toContain("WebAssembly");
});

it("leaves the language client the features of our server, and no matching of versions and patterns", async () => {
  const { text } = await slim('module.exports = require("vscode-languageclient/node");', "client");
  // Two are made in a line of their own before.
  const registered = [...text.matchAll(/registerFeature\(new \w+\.(\w+)\(/g)].map(([, name]) => name);
  expect(registered.sort()).toEqual([
    "CodeActionFeature",
    "CodeLensFeature",
    "DidCloseTextDocumentFeature",
    "DidSaveTextDocumentFeature",
    "HoverFeature",
    "NotebookDocumentSyncFeature",
    "WillSaveFeature",
    "WillSaveWaitUntilFeature",
  ]);
  expect(text).not.toMatch(/node_modules\/(minimatch|semver\/classes)/);
});

it("needs no look at VS Code's version: the manifest asks for what the language client does", () => {
  const client = JSON.parse(
    fs.readFileSync(new URL("../node_modules/vscode-languageclient/package.json", import.meta.url), "utf8"),
  );
  expect(require("../package.json").engines.vscode).toBe(client.engines.vscode);
});

it("has scales of numbers that are those of d3", async () => {
  const { program, text } = await slim('export { scaleLinear } from "d3-scale";', "scales");
  const { scaleLinear: ours } = program();
  const ways = (scale) => [
    ...[-1, 0, 1, 2.5, 7].flatMap((at) => [scale(at), scale.invert(at)]),
    scale.ticks(5),
    scale.tickFormat(5)(2.5),
    scale.copy().clamp(true)(99),
    scale.copy().rangeRound([0, 10])(2.5),
  ];
  for (const ends of [
    [
      [0, 5],
      [40, 640],
    ],
    [
      [-3, 3],
      [200, 0],
    ],
    [
      [1, 1],
      [0, 9],
    ],
  ]) {
    expect(ways(ours(...ends))).toEqual(ways(scaleLinear(...ends)));
    expect(ways(ours(...ends).nice())).toEqual(ways(scaleLinear(...ends).nice()));
  }
  expect(text).not.toContain("d3-color");
});
