import { describe, expect, it } from "vitest";
import type { Exit } from "../../profile/model.ts";
import { finishedRun } from "../testing.ts";
import { findFailure } from "./failure.ts";

const TRACEBACK = `Traceback (most recent call last):
  File "/home/nano/project/train.py", line 9, in <module>
    main()
  File "/home/nano/project/pkg/data.py", line 4, in main
    return json.loads("{")
  File "/usr/lib/python3.6/json/decoder.py", line 355, in raw_decode
    obj, end = self.scan_once(s, idx)
ValueError: Expecting ',' delimiter: line 1
and a second line
`;

function failure(stderr: string, exit: Exit = { kind: "exited", code: 1 }) {
  return findFailure({ run: finishedRun({ exit }), stderr, projectRoot: "/home/nano/project" });
}

describe("findFailure", () => {
  it("tells the exception and the project's innermost line that it came from", () => {
    expect(failure(TRACEBACK)).toEqual({
      message: "ValueError: Expecting ',' delimiter: line 1",
      place: { path: "pkg/data.py", line: 4 },
      text: 'return json.loads("{")',
    });
  });

  it("tells the last of several, and a line without a traceback's heading, as of a syntax error", () => {
    const syntax = `  File "/home/nano/project/train.py", line 3\n    x = = 1\n        ^\nSyntaxError: invalid syntax\n`;
    expect(failure(syntax)).toEqual({
      message: "SyntaxError: invalid syntax",
      place: { path: "train.py", line: 3 },
      text: "x = = 1",
    });
    const later = TRACEBACK.replace("ValueError", "KeyError").replace("line 4, in main", "line 6, in main");
    const both = `${TRACEBACK}\nDuring handling of the above exception, another exception occurred:\n\n${later}`;
    expect(failure(both)).toMatchObject({ place: { path: "pkg/data.py", line: 6 } });
  });

  it("names the module that is missing on the board, as it is installed", () => {
    const missing = TRACEBACK.replace(/ValueError:.*/, "ModuleNotFoundError: No module named 'torch.utils'");
    expect(failure(missing)).toMatchObject({ missingModule: "torch" });
    expect(failure(TRACEBACK)).not.toHaveProperty("missingModule");
  });

  it("has no place where the exception came from none of the project's lines", () => {
    const elsewhere = TRACEBACK.replaceAll("/home/nano/project", "/opt/other");
    expect(failure(elsewhere)).toEqual({ message: "ValueError: Expecting ',' delimiter: line 1" });
  });

  it("is told of nothing but a script that ended itself with an error and an exception", () => {
    expect(failure("something went wrong\n")).toBeUndefined();
    expect(failure(TRACEBACK, { kind: "exited", code: 0 })).toBeUndefined();
    expect(failure(TRACEBACK, { kind: "cancelled" })).toBeUndefined();
    expect(failure(TRACEBACK, { kind: "signalled", signal: "SIGSEGV" })).toBeUndefined();
  });
});
