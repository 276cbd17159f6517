/**
 * A container engine for tests: podman (the setup installs it, with runc), with its storage in a folder of its own, and
 * an image of this machine's own Python. Nothing is fetched from anywhere.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFolder } from "./removeFolder.mjs";
import { requirement } from "./requirement.ts";

export interface ContainerEngine {
  /** With Python and a shell. */
  readonly image: string;
  /** With a shell alone. */
  readonly bareImage: string;
  /** What `podman` prints; throws where it fails. */
  ask(...words: readonly string[]): string;
  /** Starts a container that does nothing until it is removed; its name. */
  idle(options?: readonly string[], image?: string): string;
  /** Removes all containers and images. */
  close(): Promise<void>;
}

const PROGRAM = "/usr/bin/podman";
const IMAGE = "localhost/jetson-memprof-test:python";
const BARE = "localhost/jetson-memprof-test:bare";
const IDLE = "while :; do sleep 1000; done";
/** What is copied from this machine, with the libraries it needs; $1 is the folder, $2 says whether with Python. */
const FILES = `
set -e
cd "$1"
mkdir -p bin usr/bin usr/lib lib etc tmp proc sys dev run var/tmp root
chmod 1777 tmp var/tmp
copy() { mkdir -p ".$(dirname "$2")"; cp -L "$1" ".$2"; ldd "$1" 2>/dev/null | grep -o '/[^ ]*' | while read -r one; do
  mkdir -p ".$(dirname "$one")"; cp -Lu "$one" ".$one"; done; }
copy /bin/dash /bin/sh
for one in sleep readlink id cat; do copy "$(command -v $one)" /bin/$one; done
echo 'root:x:0:0::/root:/bin/sh' > etc/passwd
[ "$2" = python ] || exit 0
python=$(readlink -f /usr/bin/python3)
library=$(/usr/bin/python3 -c 'import os; print(os.path.dirname(os.__file__))')
copy "$python" /usr/bin/python3
mkdir -p ".$library"
tar -C "$library" --exclude=__pycache__ --exclude='config-*' --exclude=test --exclude=ensurepip --exclude=idlelib \\
  --exclude=lib2to3 --exclude=site-packages --exclude=dist-packages -c . | tar -C ".$library" -x
for one in "$library"/lib-dynload/*.so; do ldd "$one"; done | grep -o '/[^ ]*' | sort -u | while read -r one; do
  mkdir -p ".$(dirname "$one")"; cp -Lu "$one" ".$one"; done
`;

/** undefined where no container can be started here, which is said; in CI the programs themselves may not be missing. */
export function containerEngine(): ContainerEngine | undefined {
  if (!requirement("podman", PROGRAM)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "jmp-engine-"));
  process.env["CONTAINERS_CONF"] = join(folder, "containers.conf");
  process.env["CONTAINERS_STORAGE_CONF"] = join(folder, "storage.conf");
  writeFileSync(join(folder, "containers.conf"), configuration());
  const ask = (...words: readonly string[]): string =>
    // What watches a container leaves a file called oom where it was started.
    execFileSync(PROGRAM, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  const idle = (options: readonly string[] = [], image = IMAGE): string => {
    const id = ask("run", "--detach", ...options, image, "sh", "-c", IDLE);
    return ask("inspect", "--format", "{{.Name}}", id);
  };
  const close = async (): Promise<void> => {
    spawnSync(PROGRAM, ["rm", "--force", "--all", "--time", "0"], { stdio: "ignore" });
    delete process.env["CONTAINERS_CONF"];
    delete process.env["CONTAINERS_STORAGE_CONF"];
    await removeFolder(folder);
  };
  try {
    // As boards have it; where it cannot be mounted, each container has a copy of its image.
    for (const driver of ["overlay", "vfs"]) {
      const places = `graphroot = "${folder}/${driver}"\nrunroot = "${folder}/run-${driver}"\n`;
      writeFileSync(join(folder, "storage.conf"), `[storage]\ndriver = "${driver}"\n${places}`);
      if (spawnSync(PROGRAM, ["info"], { stdio: "ignore" }).status === 0) break;
    }
    makeImage(folder, BARE, "bare");
    ask("run", "--rm", BARE, "sh", "-c", "exit 0");
    makeImage(folder, IMAGE, "python");
  } catch (error) {
    console.warn(`SKIPPED: tests in a container, as podman can start none here: ${String(error).slice(-400)}`);
    void close();
    return undefined;
  }
  return { image: IMAGE, bareImage: BARE, ask, idle, close };
}

/** No network, and no limits above this process's own, which not every root may raise. */
function configuration(): string {
  const limits = readFileSync("/proc/self/limits", "utf8");
  const hard = (name: string): number =>
    Number(new RegExp(`^${name}\\s+\\S+\\s+(\\d+)`, "m").exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  const files = Math.min(hard("Max open files"), 1_048_576);
  // podman gives its runtime no more than this.
  const processes = Math.min(hard("Max processes"), 32_768);
  const runtime = existsSync("/usr/sbin/runc") || existsSync("/usr/bin/runc") ? 'runtime = "runc"\n' : "";
  return (
    `[containers]\nnetns = "none"\ndefault_ulimits = ["nofile=${files}:${files}", "nproc=${processes}:${processes}"]\n` +
    `[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "none"\n${runtime}`
  );
}

function makeImage(folder: string, name: string, kind: "python" | "bare"): void {
  const root = mkdtempSync(join(folder, "root-"));
  execFileSync("sh", ["-c", FILES, "sh", root, kind], { stdio: ["ignore", "ignore", "pipe"] });
  const archive = `${root}.tar`;
  execFileSync("tar", ["-C", root, "-cf", archive, "."]);
  execFileSync(PROGRAM, ["import", archive, name], { stdio: "ignore" });
}
