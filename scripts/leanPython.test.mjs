import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { expect, it } from "vitest";
import { leanPython } from "./leanPython.mjs";
import { findPythons, root } from "./setup.mjs";

const HELPER = path.join(root, "python-helper");

/** Says which of the sources {name: [source, lean]} are another program, or say another line, when they are lean. */
const COMPARE = `
import ast, json, sys

def program(text):
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for name in ("end_lineno", "end_col_offset"):
            if hasattr(node, name):
                setattr(node, name, 0)
        body = getattr(node, "body", None)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if ast.get_docstring(node, False) is not None:
                del body[0]
            if not body or len(body) == 1 and isinstance(body[0], ast.Pass):
                body[:] = [ast.Pass(lineno=0, col_offset=0, end_lineno=0, end_col_offset=0)]
    return ast.dump(tree, include_attributes=True)

sources = json.loads(sys.stdin.buffer.read().decode("utf-8"))
print(json.dumps([name for name, (one, other) in sources.items() if program(one) != program(other)]))
`;

/** @param {Record<string, string>} sources */
function different(python, sources) {
  const pairs = Object.entries(sources).map(([name, text]) => [name, [text, leanPython(text)]]);
  const input = JSON.stringify(Object.fromEntries(pairs));
  return JSON.parse(execFileSync(python, ["-c", COMPARE], { input, encoding: "utf8" }));
}

const TRAPS = {
  "marks within strings": `a = "# no comment" + '# nor this'  # but this\nb = """# no\n'''#"""\nc = r'\\''  # a quote\nd = "\\"#"\n`,
  "no docstrings": `x = 1\n"not the first"\ndef f():\n    b"bytes"\nclass C:\n    f"{x}"\nif x:\n    "in no definition"\n`,
  "nothing but a docstring": `def f():\n    "it"\n\nclass E(Exception):\n    """More\n    lines.\n    """\nasync def g(\n    a,  # the first\n):\n    '''Last.'''`,
  "in pieces": `"""One""" "two"\ndef f(): return "}"\ndef g():\n    # above\n    "one" \\\n        "two"  # beside\n    return {\n        # within\n        'a': 1,\n    }\n`,
  "within each other": `class A:\n    "a"\n    def b(self):\n        "b"\n        def c(): pass\n        class D:\n            "d"\n        return D\n    e = 1\n`,
  "beside a statement": `def f():\n    "it"; x = 1\n    return x\n`,
};

it("leaves out comments and docstrings, and nothing moves", () => {
  const source = `#!/usr/bin/env python3\n"""What it is for."""\nimport os  # the system\n\n# Why.\ndef f(a):\n    """More\n    lines."""\n    return "#" + a\n`;
  expect(leanPython(source)).toBe(`#!/usr/bin/env python3\n\nimport os\n\n\ndef f(a):\n\n\n    return "#" + a\n`);
  expect(leanPython(TRAPS["nothing but a docstring"])).toMatch(/^def f\(\):\n {4}pass\n/);
});

it("does not guess where a string ends", () => {
  expect(() => leanPython("a = 'no end\n")).toThrow(SyntaxError);
});

const pythons = findPythons();
const ends = [...new Set([pythons[0], pythons.at(-1)])].filter((python) => python !== undefined);

it.each(ends)("is the same program to Python $version, line by line", ({ path: python }) => {
  const names = fs.readdirSync(HELPER, { recursive: true }).filter((name) => name.endsWith(".py"));
  expect(names.length).toBeGreaterThan(100);
  const files = names.map((name) => [name, fs.readFileSync(path.join(HELPER, name), "utf8")]);
  // What the tests run may be of another Python: only what travels is made lean.
  const ours = files.filter(([name]) => /^((board|bootstrap)\.py|(boot|jetson_memprof)\/)/.test(name));
  expect(different(python, { ...TRAPS, ...Object.fromEntries(ours) })).toEqual([]);
});
