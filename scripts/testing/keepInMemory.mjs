// Keeps what is measured in tests from being moved by the kernel: see keepInMemory.py.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("keepInMemory.py", import.meta.url));

/**
 * @param {readonly {path: string}[]} pythons the first one runs the program
 * @returns {{pid: number | undefined, ready: Promise<void>, end: () => void}} `ready` also where nothing could be kept;
 *   it ends with this process too
 */
export function keepInMemory(pythons) {
  const [first = "python3", ...others] = pythons.map((python) => python.path);
  const child = spawn(first, ["-B", program, first, ...others], { stdio: ["pipe", "pipe", "ignore"] });
  child.on("error", () => undefined);
  child.stdin.on("error", () => undefined);
  const ready = new Promise((resolve) => {
    child.stdout.once("data", () => resolve());
    child.once("close", () => resolve());
  });
  return { pid: child.pid, ready, end: () => child.stdin.end() };
}
