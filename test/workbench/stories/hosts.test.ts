import { createHash } from "node:crypto";
import * as fs from "node:fs";
import type { AddressInfo } from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import ssh2 from "ssh2";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inFiles, plant, watchProcesses, within } from "../../faults/network/support/plantedSecrets.ts";
import { removeFolder } from "../../support/removeFolder.mjs";
import { story } from "../support/story.ts";
import * as ui from "../support/ui.ts";

// Not ed25519: ssh2 cannot read back one in 256 of those it makes.
const hostKey = ssh2.utils.generateKeyPairSync("ecdsa", { bits: 256 });
const otherKey = ssh2.utils.generateKeyPairSync("ecdsa", { bits: 256 });
const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "wbh-")));
const knownHosts = path.join(home, ".ssh/known_hosts");
let server: ssh2.Server;
let port = 0;

beforeAll(async () => {
  server = new ssh2.Server({ hostKeys: [hostKey.private] }, (client) => {
    client.on("error", () => undefined);
    client.on("authentication", (context) => context.reject(["password"]));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  fs.mkdirSync(path.dirname(knownHosts), { recursive: true, mode: 0o700 });
  // OpenSSH takes the home folder from the user database: point it at this one.
  const config = path.join(home, ".ssh/config");
  fs.writeFileSync(config, `UserKnownHostsFile ${knownHosts}\nGlobalKnownHostsFile /dev/null\nIdentityAgent none\n`);
  fs.mkdirSync(path.join(home, "bin"));
  fs.writeFileSync(path.join(home, "bin/ssh"), `#!/bin/sh\nexec /usr/bin/ssh -F '${config}' "$@"\n`, { mode: 0o755 });
});
afterAll(async () => {
  server.close();
  await removeFolder(home);
});

const workbench = story("hosts", () => ({
  env: { HOME: home, PATH: `${path.join(home, "bin")}:${process.env["PATH"] ?? ""}` },
}));

const publicPart = (key: string): string => key.split(" ")[1] ?? "";
const fingerprint = (key: string): string =>
  `SHA256:${createHash("sha256")
    .update(Buffer.from(publicPart(key), "base64"))
    .digest("base64")
    .replace(/=+$/, "")}`;

async function profileOn(target: string): Promise<void> {
  const { page } = workbench();
  await ui.dismissNotifications(page);
  await ui.openFile(page, "known.py");
  await ui.pickFromContextMenu(page, ui.line(page, "def keep"), "Profile on Jetson");
  await ui.typeInQuickPick(page, target);
  await ui.pickQuickPick(page, `Connect to ${target}`);
}

test("a host that does not answer is named, with what to do", async () => {
  const { page } = workbench();
  await profileOn("nano@127.0.0.1:1");
  const text = await ui.notificationText(page, /refused/, 60_000);
  expect(text).toContain("nano@127.0.0.1:1");
  expect(text).toContain("Check the port");
  await workbench().screenshot("hosts-1-unreachable");
});

test("an unknown host key is shown by its fingerprint, and declining ends the run", async () => {
  const { page } = workbench();
  await profileOn(`nano@127.0.0.1:${port}`);
  const text = await ui.dialogText(page, 60_000);
  expect(text).toContain(fingerprint(hostKey.public));
  expect(text).toContain(`[127.0.0.1]:${port}`);
  await workbench().screenshot("hosts-2-unknown-key");
  await ui.pressDialogButton(page, "Cancel");
  await ui.notificationText(page, /key/, 60_000);
  expect(fs.existsSync(knownHosts) ? fs.readFileSync(knownHosts, "utf8") : "").toBe("");
});

test("an accepted key is stored, and a refused password says who was refused", async () => {
  const { page, server: code, workspace, consoleLines } = workbench();
  // By the kernel's times of files, which go on in steps of some milliseconds.
  const began = new Date(fs.statSync(home).mtimeMs - 1_000);
  const planted = plant("password");
  const processes = watchProcesses(planted, () => false);
  await profileOn(`nano@127.0.0.1:${port}`);
  await ui.dialogText(page, 60_000);
  await ui.pressDialogButton(page, "Trust This Key and Connect");
  for (let attempt = 0; attempt < 3; attempt++) {
    await ui.answerInputBox(page, /Password of nano@/, `${planted.password} ${attempt}`);
    if (attempt < 2) await ui.quickInputText(page, /That was not accepted/);
  }
  expect(await ui.notificationText(page, /nano/, 60_000)).toMatch(/127\.0\.0\.1/);
  expect(fs.readFileSync(knownHosts, "utf8")).toContain(publicPart(hostKey.public));
  await workbench().screenshot("hosts-3-refused");
  // Nor is what was typed anywhere afterwards: in the editor's data and logs, its console, the project or a process.
  const found = [
    ...processes.stop(),
    ...within(consoleLines.join("\n"), planted),
    ...(await inFiles([code.dataDir, workspace, home], began, planted)),
  ];
  expect(found).toEqual([]);
});

test("a changed host key is refused with both fingerprints and no question", async () => {
  const { page } = workbench();
  fs.writeFileSync(knownHosts, `[127.0.0.1]:${port} ecdsa-sha2-nistp256 ${publicPart(otherKey.public)}\n`);
  await profileOn(`nano@127.0.0.1:${port}`);
  const text = await ui.notificationText(page, /SHA256/, 60_000);
  expect(text).toContain(fingerprint(hostKey.public));
  expect(text).toContain(fingerprint(otherKey.public));
  expect(text).toContain("ssh-keygen");
  expect(await page.locator(".monaco-dialog-box").count()).toBe(0);
  await workbench().screenshot("hosts-4-changed-key");
});
