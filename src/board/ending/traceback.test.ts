import { describe, expect, it } from "vitest";
import { leastCpuMs } from "../../profile/testingTime.ts";
import { lastTracebacks } from "./traceback.ts";

const PLAIN = `Traceback (most recent call last):
  File "/home/nano/p/train.py", line 40, in <module>
    main()
  File "/home/nano/p/train.py", line 33, in main
    out = net(x)
          ^^^^^^
  File "/usr/lib/python3/dist-packages/torch/nn/modules/module.py", line 1102, in _call_impl
    return forward_call(*input, **kwargs)
           ~~~~~~~~~~~~^^^^^^^^^^^^^^^^^^
RuntimeError: CUDA out of memory. Tried to allocate 50.00 MiB
second line of it
`;

describe("a traceback", () => {
  it("has its frames, their source and the message, without the markers below the code", () => {
    expect(lastTracebacks(`epoch 1\n${PLAIN}`)).toEqual([
      {
        link: "first",
        start: 8,
        message: "RuntimeError: CUDA out of memory. Tried to allocate 50.00 MiB\nsecond line of it",
        frames: [
          { path: "/home/nano/p/train.py", line: 40, function: "<module>", text: "main()" },
          { path: "/home/nano/p/train.py", line: 33, function: "main", text: "out = net(x)" },
          {
            path: "/usr/lib/python3/dist-packages/torch/nn/modules/module.py",
            line: 1102,
            function: "_call_impl",
            text: "return forward_call(*input, **kwargs)",
          },
        ],
      },
    ]);
  });

  it("is the same with Windows line ends, colors and a progress bar before it", () => {
    const colored = PLAIN.replaceAll("\n", "\r\n").replace("RuntimeError", "\u001B[1;35mRuntimeError\u001B[0m");
    const [found] = lastTracebacks(`10%\r20%\r${colored}`);
    const [plain] = lastTracebacks(PLAIN);
    expect(found).toEqual({ ...plain, start: 8 });
  });

  it("leaves out repeated frames and the code of a syntax error", () => {
    const text = `Traceback (most recent call last):
  File "a.py", line 2, in f
    f()
  File "a.py", line 2, in f
    f()
  [Previous line repeated 993 more times]
  File "b.py", line 3
    x = (
        ^
SyntaxError: '(' was never closed
`;
    expect(lastTracebacks(text)).toMatchObject([
      { frames: [{ line: 2 }, { line: 2, text: "f()" }, { path: "b.py", line: 3, text: "x = (" }] },
    ]);
  });

  it("that leads to another is kept with it, and says how", () => {
    const text = `${PLAIN}
During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "train.py", line 35, in main
    save()
KeyError: 'x'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "train.py", line 41, in <module>
    main()
ValueError
`;
    expect(lastTracebacks(text).map(({ link, message }) => [link, message.split("\n")[0]])).toEqual([
      ["first", "RuntimeError: CUDA out of memory. Tried to allocate 50.00 MiB"],
      ["during", "KeyError: 'x'"],
      ["cause", "ValueError"],
    ]);
  });

  it("of a worker process is apart from where it was raised again", () => {
    const text = `Traceback (most recent call last):
  File "train.py", line 9, in <module>
    for batch in loader:
OSError: Caught OSError in DataLoader worker process 0.
Original Traceback (most recent call last):
  File "data.py", line 4, in __getitem__
    return load(i)
OSError: [Errno 12] Cannot allocate memory
`;
    expect(lastTracebacks(text)).toMatchObject([
      { link: "first", message: "OSError: Caught OSError in DataLoader worker process 0." },
      { link: "worker", message: "OSError: [Errno 12] Cannot allocate memory", frames: [{ path: "data.py", line: 4 }] },
    ]);
  });

  it("of an exception group is found inside its frame of lines", () => {
    const text = `  + Exception Group Traceback (most recent call last):
  |   File "train.py", line 20, in <module>
  |     run()
  | ExceptionGroup: two tasks (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "task.py", line 3, in one
    |     x = bytearray(1 << 40)
    | MemoryError: no
room
    | 
    | During handling of the above exception, another exception occurred:
    | 
    | Traceback (most recent call last):
    |   File "task.py", line 4, in one
    |     x
    | NameError: x
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "task.py", line 7, in two
    |     raise ValueError("no")
    | ValueError: no
    +------------------------------------
${PLAIN}`;
    const group = lastTracebacks(text.slice(0, text.length - PLAIN.length));
    expect(group.map(({ link, message }) => [link, message])).toEqual([
      ["first", "ExceptionGroup: two tasks (2 sub-exceptions)"],
      ["group", "MemoryError: no\nroom"],
      ["during", "NameError: x"],
      ["group", "ValueError: no"],
    ]);
    expect(group[1]?.frames).toEqual([{ path: "task.py", line: 3, function: "one", text: "x = bytearray(1 << 40)" }]);
    expect(lastTracebacks(text)).toHaveLength(1);
  });

  it("of a thread, or one that Python ignores while it ends, does not hide the program's own", () => {
    const other = `Traceback (most recent call last):
  File "/usr/lib/python3.6/threading.py", line 916, in _bootstrap_inner
    self.run()
RuntimeError: can't start
`;
    const text = `${PLAIN}Exception ignored in: <function f>\n${other}\nException in thread Thread-2:\n${other}`;
    expect(lastTracebacks(text)).toMatchObject([{ message: expect.stringContaining("CUDA out of memory") }]);
  });

  it("is read as far as it goes where the text is cut off at either end", () => {
    const from = PLAIN.slice(PLAIN.indexOf("  File", 80));
    expect(lastTracebacks(from)).toMatchObject([{ message: expect.stringMatching(/^RuntimeError/), frames: [{}, {}] }]);
    const to = PLAIN.slice(0, PLAIN.indexOf("RuntimeError") - 40);
    expect(lastTracebacks(to)).toMatchObject([{ message: "", frames: [{}, {}, {}] }]);
    expect(lastTracebacks("")).toEqual([]);
    expect(lastTracebacks("\uFFFD\uFFFD\u0000no traceback\n")).toEqual([]);
  });

  it("is found in time proportional to the text", async () => {
    const text = `${'  File "a", line 1, in '.repeat(20_000)}\n${"|".repeat(300_000)}\n${"Traceback ".repeat(40_000)}`;
    expect(await leastCpuMs(2_000, () => lastTracebacks(text + PLAIN.repeat(500)))).toBeLessThan(2_000);
  });
});
