import { expect, it } from "vitest";
import { readRunFolder } from "../run/runFolder.ts";
import { MIB, makeProject } from "../testing.ts";
import { exportJson } from "./exportJson.ts";

it("gives the documented shape and leaves out what is not known", async () => {
  const { run, remove } = makeProject();
  const profile = await readRunFolder(run);
  remove();
  const result = JSON.parse(JSON.stringify(exportJson(profile)));
  expect(result).toMatchObject({
    schema: 1,
    run: {
      id: "20261121-094501-train-3fa9",
      title: 'train.py --name "a b"',
      target: "ssh://nano@192.168.1.20",
      elapsed_ms: 2000,
      exit: { kind: "exited", code: 0 },
      board: { mem_total: 4151091200 },
    },
  });
  expect(result.files.map((file: { path: string }) => file.path)).toEqual(["train.py", "model.py"]);
  expect(result.files[1].lines[0]).toEqual({
    line: 2,
    hits: 1,
    net_bytes: 64 * MIB,
    self_bytes: 64 * MIB,
    max_increment_bytes: 64 * MIB,
    peak_bytes: 64 * MIB,
    usage_bytes: 84 * MIB,
    uncertain_bytes: 0,
  });
  const partial = { ...profile, files: [{ path: "a.py", sha256: "", functions: [], lines: [{ line: 1, hits: 2 }] }] };
  expect(JSON.parse(JSON.stringify(exportJson(partial))).files[0].lines).toEqual([{ line: 1, hits: 2 }]);
  expect(exportJson(profile, "model.py")).toMatchObject({ files: [{ path: "model.py" }] });
});
