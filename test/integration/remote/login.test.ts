import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AuthContext } from "ssh2";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Prompter } from "../../../src/protocol/run/run.ts";
import { parseTarget } from "../../../src/remote/address.ts";
import { openTarget } from "../../../src/remote/transport/openTarget.ts";
import { type Connection, type ConnectionMemory, emptyMemory } from "../../../src/remote/transport/transport.ts";
import { requirement } from "../../support/requirement.ts";
import { prompter } from "../../support/scene.ts";
import { makeTestHome, type TestHome } from "../../support/sshd.ts";
import { startTestServer, type TestServer } from "../../support/testServer.ts";
import { AT_ONCE, turnsTo } from "../../support/turns.ts";

/** Nothing of the user's own is offered. */
const NO_KEYS = "Host 127.0.0.1\n  IdentityFile none\n  IdentityAgent none";

/** Takes `password`, and by keyboard-interactive `password` then `code`; offers only `methods`. */
function door(methods: readonly ("password" | "keyboard-interactive")[]): (context: AuthContext) => void {
  return (context) => {
    if (context.method === "password" && methods.includes("password") && context.password === "secret") {
      context.accept();
    } else if (context.method === "keyboard-interactive" && methods.includes("keyboard-interactive")) {
      context.prompt([{ prompt: "Password: ", echo: false }], (first) => {
        if (first[0] !== "secret") return context.reject([...methods]);
        if (methods.includes("password")) return context.accept();
        context.prompt([{ prompt: "Code: ", echo: true }], (second) => {
          if (second[0] === "42") context.accept();
          else context.reject([...methods]);
        });
      });
    } else {
      context.reject([...methods]);
    }
  };
}

describe.skipIf(!requirement("ssh (package openssh-client)", "/usr/bin/ssh"))(
  "logging in with what a person types",
  () => {
    let home: TestHome;
    let server: TestServer | undefined;
    const connections: Connection[] = [];
    beforeAll(() => {
      home = makeTestHome();
      home.configure(NO_KEYS);
    });
    afterEach(async () => {
      for (const connection of connections.splice(0)) connection.close();
      await server?.close();
      server = undefined;
    });
    afterAll(() => home?.remove());

    async function open(
      authenticate: (context: AuthContext) => void,
      who?: Prompter,
      memory: ConnectionMemory = emptyMemory(),
    ) {
      server ??= await startTestServer({ authenticate });
      writeFileSync(home.path("known_hosts"), `[127.0.0.1]:${server.port} ${server.hostKey}\n`);
      const options = { prompter: who, memory, signal: new AbortController().signal, onNoise: () => {} };
      const connection = await openTarget(parseTarget(`nano@127.0.0.1:${server.port}`), options);
      connections.push(connection);
      return connection;
    }

    it("asks for the password up to three times", async () => {
      const who = prompter({ secrets: ["bad", "worse", "secret"] });
      await open(door(["password"]), who);
      expect(who.secretQuestions).toEqual(
        [1, 2, 3].map((attempt) => ({ kind: "password", user: "nano", host: `[127.0.0.1]:${server?.port}`, attempt })),
      );
    });

    it("names the hop, the user and what was tried when the password stays wrong", async () => {
      const who = prompter({ secrets: ["a", "b", "c", "secret"] });
      const error = await open(door(["password"]), who).catch((caught) => caught);
      expect(error.code).toBe("auth-failed");
      expect(error.message).toContain(`nano@127.0.0.1:${server?.port}`);
      expect(error.message).toContain("user nano");
      expect(error.message).toContain("password (3 times)");
      expect(error.message).not.toContain("secret");
      expect(who.secretQuestions).toHaveLength(3);
    });

    it("goes on to the password where the agent hangs or a key is a pipe, and waits for neither at the end", async () => {
      const socket = home.path("hung.sock");
      const hung = createServer(() => undefined);
      await new Promise<void>((resolve) => hung.listen(socket, resolve));
      execFileSync("mkfifo", [home.path("piped-key")]);
      const lines = [`IdentityAgent ${socket}`, `IdentityFile ${home.path("piped-key")}`, "ConnectTimeout 3"];
      home.configure(["Host 127.0.0.1", ...lines].join("\n  "));
      const keyToo = (context: AuthContext): void => {
        if (context.method === "password" && context.password === "secret") context.accept();
        else context.reject(["publickey", "password"]);
      };
      try {
        const who = prompter({ secrets: ["secret"] });
        await open(keyToo, who);
        expect(who.secretQuestions).toHaveLength(1);
        const error = await open(keyToo, prompter({ secrets: ["wrong", "wrong", "wrong"] })).catch((caught) => caught);
        expect(error.message).toContain(`the agent at ${socket} did not answer`);
        expect(error.message).toContain(`key ${home.path("piped-key")} cannot be read (a pipe, not a file)`);
      } finally {
        hung.close();
        home.configure(NO_KEYS);
      }
    });

    it("stops asking when a person declines", async () => {
      const who = prompter({ secrets: [undefined] });
      await expect(open(door(["password"]), who)).rejects.toMatchObject({ code: "auth-failed" });
      expect(who.secretQuestions).toHaveLength(1);
    });

    it("stops asking when a person declines to answer the server's questions", async () => {
      const who = prompter({ interactive: [undefined, ["secret"]], secrets: ["secret"] });
      await expect(open(door(["keyboard-interactive", "password"]), who)).rejects.toMatchObject({
        code: "auth-failed",
      });
      expect(who.interactivePrompts).toEqual([["Password: "]]);
      expect(who.secretQuestions).toEqual([]);
    });

    it("passes on what a server says without what would steer a terminal", async () => {
      const steering = "\u001b[2J\u202e";
      const who = prompter({ interactive: [["secret"]] });
      const refusing = (context: AuthContext): void => {
        if (context.method === "keyboard-interactive") {
          const prompts = [{ prompt: `${steering}Password: `, echo: false }];
          context.prompt(prompts, `${steering}name`, `${steering}text`, () => {
            context.reject([`none${steering}` as "none"]);
          });
        } else {
          context.reject(["keyboard-interactive"]);
        }
      };
      const error = await open(refusing, who).catch((caught) => caught);
      expect(error.code).toBe("auth-failed");
      expect(who.interactivePrompts).toEqual([["?[2J?Password: "]]);
      expect(error.message).toContain("The server takes: none?[2J");
      expect(error.message).not.toContain("\u001b");
    });

    it("answers a server that asks several things one after another", async () => {
      const who = prompter({ interactive: [["secret"], ["42"]] });
      await open(door(["keyboard-interactive"]), who);
      expect(who.interactivePrompts).toEqual([["Password: "], ["Code: "]]);
    });

    it("falls back to the password where keyboard-interactive is not taken", async () => {
      const who = prompter({ secrets: ["secret"] });
      await open(door(["password"]), who);
      expect(who.interactivePrompts).toEqual([]);
    });

    it("takes a connection up again in the background with what was typed before, asking nobody", async () => {
      for (const methods of [["password"], ["keyboard-interactive", "password"]] as const) {
        const memory = emptyMemory();
        const who = prompter({ secrets: ["secret"], interactive: [["secret"]] });
        await open(door(methods), who, memory);
        await open(door(methods), undefined, memory);
        expect(who.secretQuestions.length + who.interactivePrompts.length).toBe(1);
        await server?.close();
        server = undefined;
      }
    });

    it("fails in the background where somebody would have to type", async () => {
      await expect(open(door(["keyboard-interactive"]))).rejects.toMatchObject({ code: "auth-failed" });
    });

    it("stops at once when it is cancelled while a jump host gets nowhere", async () => {
      const controller = new AbortController();
      let turns: Promise<number> | undefined;
      const onForward = (): void => {
        controller.abort(new Error("enough"));
        turns = turnsTo(opening);
      };
      server = await startTestServer({ onForward });
      writeFileSync(home.path("known_hosts"), `[127.0.0.1]:${server.port} ${server.hostKey}\n`);
      home.configure(`${NO_KEYS}\nHost board\n  ProxyJump nano@127.0.0.1:${server.port}`);
      const options = { prompter: prompter(), memory: emptyMemory(), signal: controller.signal, onNoise: () => {} };
      const opening = openTarget(parseTarget("board"), options);
      await expect(opening).rejects.toThrow("enough");
      expect(await turns).toBeLessThan(AT_ONCE);
    });

    it("stops at once when it is cancelled while a person thinks", async () => {
      const controller = new AbortController();
      server = await startTestServer({ authenticate: door(["password"]) });
      writeFileSync(home.path("known_hosts"), `[127.0.0.1]:${server.port} ${server.hostKey}\n`);
      const who: Prompter = {
        ...prompter(),
        secret: () => {
          controller.abort(new Error("enough"));
          return new Promise(() => {});
        },
      };
      const options = { prompter: who, memory: emptyMemory(), signal: controller.signal, onNoise: () => {} };
      await expect(openTarget(parseTarget(`nano@127.0.0.1:${server.port}`), options)).rejects.toThrow("enough");
    });
  },
);
