import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import type { Connection } from "../transport/transport.ts";
import { answered, startTalk } from "./talk.ts";

it("a board that takes what it is told and answers nothing is ended, with what may hold it up", async () => {
  let killed = 0;
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const connection: Connection = {
    kind: "ssh",
    name: "nano@board",
    closed: new Promise(() => {}),
    exec: async () => ({
      stdin,
      stdout,
      stderr: new PassThrough(),
      exit: new Promise(() => {}),
      kill: () => {
        killed += 1;
      },
    }),
    close: () => {},
  };
  const { signal } = new AbortController();
  const talk = await startTalk(connection, ["python3"], signal);
  const waiting = { purpose: "Python was looked for", signal, limit: 1 };
  await expect(answered(talk, waiting, new Promise(() => {}))).rejects.toMatchObject({
    code: "helper-timeout",
    message: "nano@board did not answer within 0 s while Python was looked for.",
    hint: expect.stringContaining("no startup file of the login shell there waits for input"),
  });
  expect([killed, stdin.destroyed]).toEqual([1, true]);
});
