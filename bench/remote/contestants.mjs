/** Who takes a project to the board and runs its script there: ours, and rsync with ssh in the forms that people use. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { absentOf, environmentOf, versionsOf } from "../peers/peers.mjs";
import { PYTHON } from "./scene.mjs";

export const OURS = "Jetson Memory Profiler";
export const RSYNC = "rsync";
export const RSYNC_KEPT = "rsync, connection kept";
export const BARE = "ssh alone";

/**
 * @typedef {{
 *   name: string, version: string, command: string, notes: string[],
 *   copyOf: (project: string) => string,
 *   sync: (project: string) => Promise<number>,
 *   click: (project: string) => Promise<number>,
 * }} Contestant `sync` and `click` give ms, from the command to the files being there and to the first line
 */

/**
 * @param {import("./scene.mjs").Scene} scene
 * @returns {{ readonly present: Contestant[], readonly absent: { name: string, why: string }[] }}
 */
export function contestants(scene) {
  const rsync = findRsync();
  const openSsh = `OpenSSH ${sshVersion()}`;
  const ssh = `ssh -F ${scene.config}`;
  // The first use makes the connection; the rows begin with one that is not counted.
  const kept = `${ssh} -o ControlMaster=auto -o ControlPath=${scene.top}/master -o ControlPersist=300`;
  const copyOf = (project) => path.join(scene.copies, path.basename(project));

  const peer = (name, way, shown, notes) => {
    const copy = (project) =>
      `${rsync.program} -a --rsync-path=${rsync.program} -e '${way}' ${project}/ board:${copyOf(project)}/`;
    const start = (project) => `${way} board ${PYTHON} ${copyOf(project)}/main.py ${scene.stamp}`;
    return {
      name,
      version: `${rsync.version}, ${openSsh}`,
      command: `rsync -a${shown === "ssh" ? "" : ` -e '${shown}'`} project/ board:project/ && ${shown} board python3 project/main.py`,
      notes,
      copyOf,
      async sync(project) {
        const { clicked, ended } = await scene.shell(copy(project));
        return Number(ended - clicked) / 1e6;
      },
      click: async (project) => scene.firstLine((await scene.shell(`${copy(project)} && ${start(project)}`)).clicked),
    };
  };
  const peers =
    rsync.why === undefined
      ? [
          peer(RSYNC, ssh, "ssh", ["Two connections, each made anew: one for rsync, one for the script."]),
          peer(RSYNC_KEPT, kept, "ssh -o ControlMaster=auto", [
            "Both commands go over a connection that was there before, so there is no login in the figure.",
          ]),
        ]
      : [];
  const bare = {
    name: BARE,
    version: openSsh,
    command: "ssh board python3 project/main.py",
    notes: ["Nothing is copied: what a login and a start of Python come to."],
    copyOf,
    async click(project) {
      fs.mkdirSync(copyOf(project), { recursive: true });
      fs.copyFileSync(path.join(project, "main.py"), path.join(copyOf(project), "main.py"));
      const { clicked } = await scene.shell(`${ssh} board ${PYTHON} ${copyOf(project)}/main.py ${scene.stamp}`);
      return scene.firstLine(clicked);
    },
  };
  return {
    present: [ours(scene), ...peers, bare],
    absent: rsync.why === undefined ? [] : [RSYNC, RSYNC_KEPT].map((name) => ({ name, why: rsync.why })),
  };
}

function ours(scene) {
  const projects = path.join(scene.board, "projects");
  /** Projects that were run before. */
  const there = new Set();
  const profiled = async (project) => {
    const report = await scene.profile(project);
    return { ...report, first: scene.firstLine(report.clicked) };
  };
  return {
    name: OURS,
    version: "",
    command: "Profile on Jetson",
    notes: ["A new connection each time; the script runs with the line engine."],
    copyOf: (project) => path.join(projects, fs.readdirSync(projects).find(isCopyOf(project)) ?? ""),
    async sync(project) {
      const { clicked, synced } = await profiled(project);
      return Number(synced - clicked) / 1e6;
    },
    async click(project) {
      const { first, sentFiles } = await profiled(project);
      if (sentFiles > 0 && there.has(project)) throw new Error(`${sentFiles} files of an unchanged project were sent`);
      there.add(project);
      return first;
    },
  };
}

function isCopyOf(project) {
  return (name) => name.startsWith(`${path.basename(project)}-`) && !name.endsWith(".json");
}

/** Debian's, or the one of the peers' environment; `why` where there is neither. */
function findRsync() {
  try {
    const said = execFileSync("rsync", ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return { program: "rsync", version: `rsync ${/version (\S+)/.exec(said)?.[1]}` };
  } catch {}
  const version = versionsOf("rsync")["rsync"];
  if (version === undefined) return { why: Object.values(absentOf("rsync"))[0] ?? "rsync is not installed" };
  return { program: path.join(environmentOf("rsync"), "bin/rsync"), version: `rsync ${version}` };
}

function sshVersion() {
  const said = execFileSync("sh", ["-c", "ssh -V 2>&1"], { encoding: "utf8" });
  return /OpenSSH_(\S+?)[,\s]/.exec(said)?.[1] ?? "";
}
