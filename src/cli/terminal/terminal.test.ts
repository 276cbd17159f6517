import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { leavingOf } from "../../protocol/run/leaving.ts";
import { exitStatus } from "../run/exitStatus.ts";
import { createRiskQuestion } from "../run/riskQuestion.ts";
import { createSendQuestion } from "../run/sendQuestion.ts";
import { createInput } from "./input.ts";
import { createOutput, showsColors } from "./output.ts";
import { createPrompter } from "./prompter.ts";
import { createReachQuestion } from "./reachQuestion.ts";
import { createStatusLine, noStatusLine } from "./statusLine.ts";
import { collected } from "./testing.ts";

function keyboard(isTTY = true) {
  const stream = Object.assign(new PassThrough(), { isTTY, setRawMode: vi.fn() });
  const onInterrupt = vi.fn();
  const input = createInput(stream, onInterrupt);
  return { stream, input, onInterrupt };
}

describe("the status line", () => {
  it("is written over, cut to the terminal's width, and gone at the end", () => {
    const output = collected(true, 10);
    const status = createStatusLine(output, 0);
    status.show("first");
    status.show("a text that is too long");
    status.clear();
    status.clear();
    expect(output.text()).toBe("\r\u001b[Kfirst\r\u001b[Ka text th\r\u001b[K");
  });

  it("makes way for output, and waits for the end of its line", () => {
    const output = collected(true, 40);
    const status = createStatusLine(output, 0);
    const pass = (text: string) => status.around(Buffer.from(text), () => output.write(text));
    status.show("S");
    pass("name? ");
    status.show("T");
    pass("x\n");
    status.show("U");
    expect(output.text()).toBe("\r\u001b[KS\r\u001b[Kname? x\n\r\u001b[KU");
  });
});

describe("output", () => {
  it("goes on silently when the reader went away", async () => {
    const stream = new PassThrough() as unknown as NodeJS.WriteStream;
    const output = createOutput(stream);
    stream.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    output.write("more");
    await output.flushed();
    expect((stream as unknown as PassThrough).read()).toBeNull();
  });

  it("is colored only for a terminal and a person who wants it", () => {
    expect(showsColors(collected(true, 40), {})).toBe(true);
    expect(showsColors(collected(true, 40), { NO_COLOR: "1" })).toBe(false);
    expect(showsColors(collected(true, 40), { NO_COLOR: "" })).toBe(true);
    expect(showsColors(collected(true, 40), { TERM: "dumb" })).toBe(false);
    expect(showsColors(collected(false, 40), {})).toBe(false);
  });
});

describe("input", () => {
  it("gives lines first and passes the rest on byte for byte", async () => {
    const { stream, input } = keyboard();
    stream.write("yes\nrest \u00ff");
    expect(await input.line(false)).toBe("yes");
    const received: Uint8Array[] = [];
    const data = async (bytes: Uint8Array) => {
      received.push(bytes);
    };
    const end = new Promise<void>((resolve) => input.forward({ data, end: resolve }));
    stream.end(Buffer.from([0, 255, 10]));
    await end;
    expect(Buffer.concat(received)).toEqual(Buffer.concat([Buffer.from("rest \u00ff"), Buffer.from([0, 255, 10])]));
  });

  it("is read on only when there is room for more, and not after the end of the run", async () => {
    const { stream, input } = keyboard();
    let room = () => {};
    const data = vi.fn(() => new Promise<void>((resolve) => (room = resolve)));
    input.forward({ data, end: () => {} });
    stream.write("a");
    await vi.waitFor(() => expect(data).toHaveBeenCalledTimes(1), 20_000);
    stream.write("b");
    await new Promise((resolve) => setImmediate(resolve));
    expect(data).toHaveBeenCalledTimes(1);
    room();
    await vi.waitFor(() => expect(data).toHaveBeenCalledTimes(2), 20_000);
    input.stop();
    room();
    await new Promise((resolve) => setImmediate(resolve));
    expect(stream.isPaused()).toBe(true);
  });

  it("hides what is typed, understands backspace, and tells of Ctrl-C", async () => {
    const { stream, input, onInterrupt } = keyboard();
    const secret = input.line(true);
    stream.write("passX\u007fword\r");
    expect(await secret).toBe("password");
    expect(stream.setRawMode.mock.calls).toEqual([[true], [false]]);
    const refused = input.line(true);
    stream.write("abc\u0003");
    expect(await refused).toBeUndefined();
    expect(onInterrupt).toHaveBeenCalledOnce();
  });

  it("ends at the end of the input, when abandoned, and where it has ended before", async () => {
    const { stream, input } = keyboard();
    const abandoned = input.line(false);
    input.abandon();
    expect(await abandoned).toBeUndefined();
    const last = input.line(false);
    stream.end("no end of line");
    expect(await last).toBeUndefined();
    expect(await input.line(false)).toBeUndefined();
    const end = vi.fn();
    input.forward({ data: async () => {}, end });
    expect(end).toHaveBeenCalledOnce();
  });
});

describe("questions", () => {
  const hostKey = { host: "nano", keyType: "ecdsa-sha2-nistp256", fingerprint: "SHA256:abc", via: ["jump\u001b[2J"] };

  it("take yes or no for a host key", async () => {
    const { stream, input } = keyboard();
    const output = collected(true, 40);
    const prompter = createPrompter(input, output, noStatusLine);
    const answer = prompter.confirmHostKey(hostKey);
    stream.write("y\nYES\n");
    expect(await answer).toBe(true);
    expect(output.text()).toContain("SHA256:abc");
    expect(output.text()).toContain("through jump?[2J");
    expect(output.text()).toContain("ssh_host_ecdsa_key.pub");
    const second = prompter.confirmHostKey(hostKey);
    stream.write("no\n");
    expect(await second).toBe(false);
  });

  it("say by which other key a host is known", async () => {
    const { stream, input } = keyboard();
    const output = collected(true, 40);
    const known = "ssh-rsa SHA256:old (/k\u001b[2J, line 2)";
    const answer = createPrompter(input, output, noStatusLine).confirmHostKey({ ...hostKey, known });
    stream.write("no\n");
    expect(await answer).toBe(false);
    expect(output.text()).toContain(
      "is known by a different key, ssh-rsa SHA256:old (/k?[2J, line 2), and not by this one",
    );
    expect(output.text()).not.toContain("not known yet");
  });

  it("of a secret show once the terminal is silent", async () => {
    const { stream, input } = keyboard();
    const order: string[] = [];
    stream.setRawMode.mockImplementation((raw: boolean) => {
      order.push(raw ? "silent" : "as before");
      return stream as never;
    });
    const output = { ...collected(true, 40), write: (text: string | Uint8Array) => order.push(String(text)) };
    const answer = createPrompter(input, output as never, noStatusLine).secret({
      kind: "passphrase",
      keyPath: "/k",
      attempt: 1,
    });
    stream.write("x\n");
    expect(await answer).toBe("x");
    expect(order).toEqual(["silent", "The passphrase of the key /k: ", "as before", "\n"]);
  });

  it("are asked one after the other", async () => {
    const { stream, input } = keyboard();
    const output = collected(true, 40);
    const prompter = createPrompter(input, output, noStatusLine);
    const first = prompter.secret({ kind: "password", user: "nano", host: "board", attempt: 1 });
    const second = prompter.secret({ kind: "passphrase", keyPath: "/k", attempt: 2 });
    stream.write("one\n");
    expect(await first).toBe("one");
    stream.write("two\n");
    expect(await second).toBe("two");
    const third = prompter.secret({ kind: "sudo", user: "nano", host: "board", attempt: 1 });
    stream.write("three\n");
    expect(await third).toBe("three");
    expect(output.text()).toBe(
      "The password of nano@board: \nThat was not correct. The passphrase of the key /k: \n" +
        "The sudo password for nano on board: \n",
    );
  });

  it("of the server are echoed only where it says so", async () => {
    const { stream, input } = keyboard();
    const prompter = createPrompter(input, collected(true, 40), noStatusLine);
    const answers = prompter.keyboardInteractive({
      user: "nano",
      host: "board",
      name: "",
      instructions: "Two factors",
      prompts: [
        { prompt: "Password: ", echo: false },
        { prompt: "Code: ", echo: true },
      ],
    });
    stream.write("secret\n123\n");
    expect(await answers).toEqual(["secret", "123"]);
    expect(stream.setRawMode).toHaveBeenCalledTimes(2);
  });

  it("are refused with advice where nobody can answer", async () => {
    const output = collected(true, 40);
    const prompter = createPrompter(keyboard(false).input, output, noStatusLine);
    expect(await prompter.confirmHostKey(hostKey)).toBe(false);
    expect(await prompter.secret({ kind: "password", user: "nano", host: "board", attempt: 1 })).toBeUndefined();
    expect(output.text()).toMatch(/not a terminal\. Connect once with ssh/);
    expect(output.text()).toMatch(/not a terminal\. Use an ssh agent/);
  });
});

describe("the question before a run that will likely fail", () => {
  const risk = { message: "It needs \u001b[1m2 GiB.", suggestions: ["Count pages.", "Add swap."] };
  const ask = (typed: string | undefined, anyway = false) => {
    const { stream, input } = keyboard(typed !== undefined);
    const output = collected(true, 40);
    if (typed !== undefined) stream.write(typed);
    return { output, answer: createRiskQuestion(input, output, noStatusLine, anyway)(risk) };
  };

  it("is asked in a terminal, with what would help", async () => {
    const { output, answer } = ask("maybe\nyes\n");
    expect(await answer).toBe(true);
    expect(output.text()).toBe(
      "It needs ?[1m2 GiB.\nWhat would help:\n  Count pages.\n  Add swap.\n" +
        "Start it anyway? Type yes or no: Start it anyway? Type yes or no: ",
    );
    expect(await ask("no\n").answer).toBe(false);
  });

  it("is a refusal where nobody can answer, unless it was answered beforehand", async () => {
    await expect(ask(undefined).answer).rejects.toMatchObject({
      code: "risk-not-accepted",
      message: "It needs ?[1m2 GiB.",
      hint: "What would help:\n  Count pages.\n  Add swap.\n  Or give --anyway to start it regardless.",
    });
    const { output, answer } = ask(undefined, true);
    expect(await answer).toBe(true);
    expect(output.text()).toBe("It needs ?[1m2 GiB.\n");
  });
});

describe("the question before a project is sent", () => {
  const leaving = leavingOf([{ path: "a\u001b[2J.py", size: 512 }], {
    projectFolder: "/home/me/lenet",
    to: "nano@10.0.0.7",
    stays: new Map([["credential", [".env"]]]),
    notes: [],
  });
  const told =
    "1 file (512 B) of /home/me/lenet will be sent to nano@10.0.0.7.\nThe largest: a?[2J.py 512 B\n" +
    "What stays here, and why:\n• credentials, by their names: .env\n";
  const ask = (typed: string | undefined, quiet = false) => {
    const { stream, input } = keyboard(typed !== undefined);
    const output = collected(true, 40);
    if (typed !== undefined) stream.write(typed);
    return { output, answer: createSendQuestion(input, output, noStatusLine, quiet)(leaving) };
  };

  it("is asked in a terminal, with what goes and what stays", async () => {
    const { output, answer } = ask("yes\n");
    expect(await answer).toBe(true);
    expect(output.text()).toBe(`${told}Send it? Type yes or no: `);
    const declined = ask("no\n", true);
    expect(await declined.answer).toBe(false);
    expect(declined.output.text()).toContain("Nothing was sent. What is to stay here can be named in .jetsonignore");
  });

  it("is only told where nobody can answer, and not at all where nothing is to be told", async () => {
    const { output, answer } = ask(undefined);
    expect(await answer).toBe(true);
    expect(output.text()).toBe(told);
    const quiet = ask(undefined, true);
    expect(await quiet.answer).toBe(true);
    expect(quiet.output.text()).toBe("");
  });
});

describe("the question before a board is reached that a run's folder names", () => {
  const run = { id: "20260101-000000-train-0000", target: "ssh://nano@10.0.0.7\u001b[2J" };
  const ask = (typed: string | undefined) => {
    const { stream, input } = keyboard(typed !== undefined);
    const output = collected(true, 40);
    if (typed !== undefined) stream.write(typed);
    return { output, answer: createReachQuestion(input, output, noStatusLine)(run) };
  };

  it("is asked in a terminal, and is a refusal where nobody can answer", async () => {
    const { output, answer } = ask("yes\n");
    expect(await answer).toBe(true);
    expect(output.text()).toBe(
      "The folder of 20260101-000000-train-0000 was not made by this account. It says that the run is on " +
        "ssh://nano@10.0.0.7?[2J.\nConnect to it? Type yes or no: ",
    );
    expect(await ask("no\n").answer).toBe(false);
    await expect(ask(undefined).answer).rejects.toMatchObject({
      code: "not-own-run",
      hint: "Where you know that board, name it yourself: --target ssh://nano@10.0.0.7?[2J",
    });
  });
});

it.each([
  [{ kind: "exited", code: 0 }, 0],
  [{ kind: "exited", code: 3 }, 3],
  [{ kind: "signalled", signal: "SIGSEGV" }, 139],
  [{ kind: "out-of-memory", signal: "SIGKILL" }, 137],
  [{ kind: "cancelled" }, 130],
  [{ kind: "lost" }, 70],
  [{ kind: "not-started", message: "x" }, 70],
  [undefined, 70],
] as const)("the exit status for %o is %d", (exit, status) => {
  expect(exitStatus(exit)).toBe(status);
});
