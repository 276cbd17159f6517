import { describe, expect, it } from "vitest";
import type { LineDelta } from "../../protocol/server.ts";
import { lineSentence } from "./lineSentence.ts";

const delta = (line: number, label: string, stale = false): LineDelta => ({
  line,
  label,
  stale,
  severity: "low",
  bytes: 1,
});

describe("what is read of a line", () => {
  const lines = [delta(2, "+64.0 MiB"), delta(3, "CUDA -20.0 MiB, peak +30.0 MiB"), delta(5, "+1.0 MiB", true)];

  it("is what stands beside it, with its place", () => {
    expect(lineSentence({ lines }, "model.py", 2)).toBe("Line 2 of model.py: +64.0 MiB.");
    expect(lineSentence({ lines }, "model.py", 3)).toBe("Line 3 of model.py: CUDA -20.0 MiB, peak +30.0 MiB.");
  });

  it("says that the line was changed since", () => {
    expect(lineSentence({ lines }, "model.py", 5)).toBe(
      "Line 5 of model.py: +1.0 MiB. The line was changed since the run.",
    );
  });

  it("says that the script is there", () => {
    const here = { line: 2, text: "here at 12 s · RSS 519.9 MiB" };
    expect(lineSentence({ lines, here }, "model.py", 2)).toBe(
      "Line 2 of model.py: +64.0 MiB. The script: here at 12 s · RSS 519.9 MiB.",
    );
    expect(lineSentence({ lines, here }, "model.py", 3)).not.toContain("here at");
  });

  it("is never 0 where nothing is known", () => {
    expect(lineSentence({ lines }, "model.py", 9)).toBe(
      "Line 9 of model.py: it is not known to have taken or given back memory.",
    );
    expect(lineSentence(null, "other.py", 1)).toBe("The run that is shown did not measure other.py.");
  });
});
