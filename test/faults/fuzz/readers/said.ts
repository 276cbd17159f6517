/** What is said to us besides the board's protocol: SSH files, addresses, settings, command lines, pages, other editors. */
import { mkdirSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { parseCommandLine } from "../../../../src/cli/commandLine/commandLine.ts";
import { splitArguments } from "../../../../src/editor/run/options/splitArguments.ts";
import { runSettings, viewSettings } from "../../../../src/editor/settings/settings.ts";
import * as doctor from "../../../../src/protocol/board/doctor.ts";
import * as ending from "../../../../src/protocol/board/ending.ts";
import * as memory from "../../../../src/protocol/board/memory.ts";
import * as compare from "../../../../src/protocol/compare.ts";
import * as massif from "../../../../src/protocol/massif/massif.ts";
import * as sweep from "../../../../src/protocol/sweep.ts";
import * as timeline from "../../../../src/protocol/timeline.ts";
import * as model from "../../../../src/protocol/torch/model.ts";
import * as snapshot from "../../../../src/protocol/torch/snapshot.ts";
import { formatTarget, parseTarget } from "../../../../src/remote/address.ts";
import { configuredHosts } from "../../../../src/remote/configuredHosts.ts";
import {
  configurationFromFile,
  type HostConfiguration,
  interpret,
  parseSshG,
} from "../../../../src/remote/ssh/config/configuration.ts";
import {
  fingerprint,
  judgeHostKey,
  keyTypeOf,
  knownKeyTypes,
  parseKnownHosts,
} from "../../../../src/remote/ssh/hostKeys/knownHosts.ts";
import { COMMANDS, readRequest } from "../../../../src/server/standalone/commands.ts";
import { readOptions } from "../../../../src/server/standalone/options.ts";
import { DOCUMENT as COMPARED } from "../../../../webview/compare/testing.ts";
import { DOCUMENT as MODELS } from "../../../../webview/model/testing.ts";
import { SWEEP } from "../../../../webview/sweep/testing.ts";
import { DOCUMENT as HEAP, wireOf } from "../../../integration/webview/massifScene.ts";
import { demand, demandFinite, type FuzzReader, type Outcome } from "../reader.ts";

const textOf = (input: Uint8Array): string => Buffer.from(input).toString("utf8");

const SSH_G = `host nano
user jetson
hostname 192.168.55.1
port 22
identityfile ~/.ssh/id_ed25519
identityagent SSH_AUTH_SOCK
identitiesonly no
userknownhostsfile ~/.ssh/known_hosts ~/.ssh/known_hosts2
globalknownhostsfile /etc/ssh/ssh_known_hosts
stricthostkeychecking true
proxyjump gate@bastion:2222,inner
connecttimeout none
serveraliveinterval 15
hashknownhosts yes
forwardagent yes
`;

/** Nothing of a configuration lets more in than it says, and no address is one that a program could misread. */
function demandSound(config: HostConfiguration): void {
  demandFinite(config, "a configuration");
  demand(config.port > 0 && config.port < 65_536, `port ${config.port}`);
  demand(!("forwardAgent" in config), "the agent would be forwarded");
  demand(["yes", "accept-new", "no", "ask"].includes(config.strictHostKeyChecking), config.strictHostKeyChecking);
}

const printedBySsh: FuzzReader = {
  name: "what ssh -G prints",
  short: 10_000,
  samples: [SSH_G, "hostname b\nproxycommand ssh -W %h:%p gate\n"],
  pieces: [...SSH_G.split("\n"), "none", "%h", "%%", `\${HOME}`, "~/", '"', "stricthostkeychecking ask\n"],
  read(input) {
    demandSound(interpret({ host: "nano" }, parseSshG(textOf(input))));
    return "read";
  },
};

const SSH_CONFIG = `Include config.d/*
Host nano board-?
  HostName 192.168.55.1
  User jetson
  Port 2222
  IdentityFile "~/.ssh/id nano"
  StrictHostKeyChecking accept-new
Match host gate exec "touch executed"
  ProxyJump none
Host *
  ProxyJump gate@bastion:2222
  ForwardAgent yes
`;

const configuration: FuzzReader = {
  name: "SSH configuration files",
  short: 400,
  samples: [SSH_CONFIG, "Host=a\nHostName=b\n", "Host a !b *\n\tUser x\n"],
  pieces: [...SSH_CONFIG.split("\n"), "Match ", "Host ", "exec ", "Include config\n", "Include *\n", "\\"],
  async read(input): Promise<Outcome> {
    process.env["HOME"] = process.cwd();
    mkdirSync(".ssh/config.d", { recursive: true });
    writeFileSync(".ssh/config", input);
    for (const host of await configuredHosts()) demand(parseTarget(host).kind === "ssh", host);
    demandSound(await configurationFromFile({ host: "nano" }));
    return "read";
  },
};

const blob = (type: string, body: string): Buffer => {
  const name = Buffer.from(type);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(name.length);
  return Buffer.concat([length, name, Buffer.from(body)]);
};
const TRUSTED = blob("ssh-ed25519", "0123456789abcdef0123456789abcdef");
const FOREIGN = blob("ssh-ed25519", "another key that nobody ever saw");
const ENTRIES = [
  `nano,192.168.55.1 ssh-ed25519 ${TRUSTED.toString("base64")}`,
  `[nano]:2222 ssh-ed25519 ${TRUSTED.toString("base64")} a comment`,
  "|1|F1E1KeoE/eEWhi10WpGv4OdiO6Y=|3988QV0VE8wmZL7suNrYQLITLCg= ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA",
  `@cert-authority *.lab ssh-rsa ${blob("ssh-rsa", "x").toString("base64")}`,
  `@revoked * ssh-ed25519 ${TRUSTED.toString("base64")}`,
  "# comment",
];

const knownHosts: FuzzReader = {
  name: "known_hosts",
  short: 10_000,
  samples: [`${ENTRIES.join("\n")}\n`, `${ENTRIES[0]}\n`],
  pieces: [...ENTRIES, "@revoked ", "@cert-authority ", "!nano,", "*", "nano ", "ssh-ed25519 "],
  read(input) {
    const text = textOf(input);
    const entries = parseKnownHosts(text, "known_hosts");
    const names = ["nano", "[nano]:2222"];
    demand(judgeHostKey(entries, names, FOREIGN).kind !== "match", "a key that is not in the file was trusted");
    const revoked = parseKnownHosts(`${text}\n@revoked * ssh-ed25519 ${FOREIGN.toString("base64")}`, "known_hosts");
    demand(judgeHostKey(revoked, names, FOREIGN).kind === "revoked", "a revocation after damage is passed over");
    for (const entry of entries) {
      demand(keyTypeOf(entry.key) === entry.keyType && fingerprint(entry.key).startsWith("SHA256:"), entry.keyType);
    }
    knownKeyTypes(entries, names);
    return entries.length === 0 ? "refused" : "read";
  },
};

const addresses: FuzzReader = {
  name: "addresses of boards",
  short: 10_000,
  samples: [
    "nano@192.168.55.1",
    "ssh://jetson@nano.local:2222",
    "nano",
    "[fe80::1]:22",
    "nano@[fe80::1%eth0]",
    "local",
  ],
  pieces: ["ssh://", "@", ":", "[", "]", "-oProxyCommand=", "%", "loopback"],
  read(input) {
    const target = parseTarget(textOf(input));
    demand(formatTarget(parseTarget(formatTarget(target))) === formatTarget(target), "another address comes back");
    if (target.kind !== "ssh") return "read";
    for (const name of [target.host, target.user ?? "x"]) {
      demand(!/^-|[\s\p{Cc}\p{Bidi_Control}'"`$;&|<>()\\]/u.test(name), `a name is ${JSON.stringify(name)}`);
    }
    demand(target.port === undefined || (target.port > 0 && target.port < 65_536), `port ${target.port}`);
    return "read";
  },
};

const COMMAND_LINES: readonly (readonly string[])[] = [
  ["profile", "--target", "nano@10.0.0.2", "--exact", "train.py", "--", "--epochs", "2"],
  ["massif", "train.py", "--lines", "train.py:33", "--threshold", "0.5"],
  ["show", "latest", "--metric", "cuda", "--format", "json"],
  ["sweep", "--target", "local", "train.py", "--", "--batch-size", "{16,32}"],
  ["check", "--max-peak", "2GiB", "--max-line", "train.py:3=5MiB", "--format", "github"],
  ["runs", "--delete", "x"],
  ["diff", "a", "b", "--all"],
  ["import", "mprofile.dat", "--format", "mprof"],
  ["doctor", "nano", "--fix", "valgrind"],
  ["export", "r", "--format", "html", "-o", "out.html"],
  ["watch", "nano", "--interval", "500"],
  ["trace", "a.json"],
  ["--help"],
];

const commandLines: FuzzReader = {
  name: "command lines",
  short: 10_000,
  samples: COMMAND_LINES.map((line) => line.join("\n")) as [string],
  pieces: [...new Set(COMMAND_LINES.flat())].map((word) => `${word}\n`),
  read(input) {
    const command = parseCommandLine(textOf(input).split("\n"));
    demandFinite(JSON.parse(JSON.stringify(command)), "a command");
    return "read";
  },
};

const SETTINGS = {
  target: "nano@10.0.0.2",
  python: "~/venv",
  boardFolder: "~/.jetson-memprof",
  exclude: ["data/", "*.bin"],
  environment: { OMP_NUM_THREADS: "2" },
  engine: "line",
  exactMode: true,
  outputLimitMiB: 64,
  "watch.intervalMs": 1000,
  "massif.threshold": 0.1,
  "massif.lines": 8,
  "torch.snapshotEntries": 100_000,
  "decorations.threshold": 0.1,
  "decorations.metric": "cuda",
};

const settings: FuzzReader = {
  name: "settings of a workspace",
  short: 8_000,
  samples: [JSON.stringify(SETTINGS)],
  pieces: Object.keys(SETTINGS).map((name) => JSON.stringify(name)),
  read(input) {
    const value = parsed(input);
    if (typeof value !== "object" || value === null) return "refused";
    const read = (name: string): unknown => (value as Record<string, unknown>)[name];
    demandFinite(viewSettings(read), "settings of views");
    const found = runSettings(read);
    demandFinite(found, "settings");
    for (const name of Object.keys(found.environment)) demand(/^\w+$/.test(name), `variable ${name}`);
    return "read";
  },
};

const typedArguments: FuzzReader = {
  name: "arguments as a person types them",
  short: 8_000,
  samples: [`--epochs 2 --name "a b" 'c d' e\\ f`, `--x="\\"" ''`],
  pieces: ["'", '"', "\\", " ", "--"],
  read(input) {
    const text = textOf(input);
    const found = splitArguments(text);
    demand(found.join("").length <= text.length, "there is more than was typed");
    return "read";
  },
};

function parsed(input: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(input));
  } catch {
    return undefined;
  }
}

const PLACE = { path: "train.py", line: 7 };
const TREE = { kind: "snapshot", file: 0, snapshot: 3 };
/** By page: who reads, and messages that are read. */
const PAGES: Readonly<Record<string, readonly [(value: unknown) => unknown, readonly object[]]>> = {
  timelineToEditor: [timeline.readToEditor, [{ kind: "ready" }, { kind: "goTo", place: PLACE }]],
  timelineToPage: [
    timeline.readToPage,
    [
      { kind: "timeline", title: "r", finished: true, samples: [{ t: 0, rss: 5 }] },
      { kind: "unavailable", message: "x" },
    ],
  ],
  timelineState: [timeline.readPageState, [{ folder: "/r", cursor: 5, table: true }]],
  massifToEditor: [
    massif.readToMassifEditor,
    [
      { kind: "tree", request: 1, ref: TREE },
      { kind: "goTo", place: PLACE },
      { kind: "copy", text: "a" },
      { kind: "save", format: "svg", name: "x", content: "<svg/>" },
    ],
  ],
  massifToPage: [
    massif.readToMassifPage,
    [
      { kind: "document", document: HEAP, select: TREE },
      { kind: "tree", request: 1, tree: wireOf([[10, "malloc", "main"]]) },
    ],
  ],
  massifState: [
    massif.readMassifPageState,
    [{ source: "s", shape: "flame", direction: "callers-first", fold: true, search: "a+", tab: "tree", zoom: ["a"] }],
  ],
  memoryToEditor: [
    memory.readMemoryPageToEditor,
    [{ kind: "ready" }, { kind: "goTo", place: PLACE }, { kind: "copy", text: "x" }],
  ],
  memoryToPage: [
    memory.readToMemoryPage,
    [{ kind: "start", title: "nano" }, { kind: "records", lines: ["{}"] }, { kind: "ended" }],
  ],
  memoryState: [memory.readMemoryPageState, [{ source: "s", folder: "f" }]],
  endingToEditor: [
    ending.readEndingPageToEditor,
    [
      { kind: "step", advice: 0, step: 1 },
      { kind: "openSource", advice: 2 },
      { kind: "openMemory" },
      { kind: "goTo", place: PLACE },
    ],
  ],
  endingToPage: [ending.readToEndingPage, [{ kind: "unavailable", message: "x" }]],
  endingState: [ending.readEndingPageState, [{ folder: "/r" }]],
  doctorToEditor: [
    doctor.readDoctorPageToEditor,
    [{ kind: "ready" }, { kind: "run", line: "valgrind" }, { kind: "copy", line: "swap" }],
  ],
  doctorToPage: [
    doctor.readToDoctorPage,
    [
      { kind: "checking", target: "nano" },
      { kind: "unavailable", message: "x" },
    ],
  ],
  snapshotToEditor: [
    snapshot.readToSnapshotEditor,
    [{ kind: "ready" }, { kind: "query", request: 1, query: { kind: "moment", at: 3 } }],
  ],
  snapshotToPage: [snapshot.readToSnapshotPage, [{ kind: "unavailable", message: "x" }]],
  snapshotState: [snapshot.readSnapshotPageState, [{ path: "/a.pickle" }]],
  modelToEditor: [model.readModelPageToEditor, [{ kind: "ready" }, { kind: "goTo", place: PLACE }]],
  modelToPage: [
    model.readToModelPage,
    [
      { kind: "model", document: MODELS },
      { kind: "unavailable", message: "x" },
    ],
  ],
  modelState: [model.readModelPageState, [{ folder: "/r" }]],
  sweepToEditor: [sweep.readSweepPageToEditor, [{ kind: "openRun", folder: "/r" }, { kind: "resume" }]],
  sweepToPage: [sweep.readToSweepPage, [{ kind: "sweep", sweep: SWEEP, making: "1 left" }]],
  sweepState: [sweep.readSweepPageState, [{ sweep: "id", axis: "batch" }]],
  compareToEditor: [compare.readToCompareEditor, [{ kind: "goTo", side: "after", place: PLACE }, { kind: "swap" }]],
  compareToPage: [compare.readToComparePage, [{ kind: "comparison", document: COMPARED }]],
  compareState: [compare.readComparePageState, [{ folders: { before: ["/a"], after: ["/b"] } }]],
};

const pages: FuzzReader = {
  name: "messages of pages, both ways, and what they keep",
  short: 8_000,
  samples: Object.entries(PAGES).flatMap(([page, [, messages]]) =>
    messages.map((message) => JSON.stringify([page, message])),
  ) as [string],
  pieces: Object.keys(PAGES).map((page) => JSON.stringify(page)),
  read(input) {
    const value = parsed(input);
    if (!Array.isArray(value)) return "refused";
    const [page, message] = value;
    const understood = typeof page === "string" && Object.hasOwn(PAGES, page) ? PAGES[page]?.[0](message) : undefined;
    if (understood === undefined) return "refused";
    demandFinite(understood, "a message");
    demand(Object.getPrototypeOf(understood) === Object.prototype, "a message has another prototype");
    return "read";
  },
};

const requests: FuzzReader = {
  name: "requests and options of other editors",
  short: 8_000,
  samples: [
    JSON.stringify(["jetsonMemprof.showRun", "20260101"]),
    JSON.stringify(["jetsonMemprof.chooseMetric", "cuda"]),
    JSON.stringify(["jetsonMemprof.describeRun", "/p/.jetson-memprof/runs/r"]),
    JSON.stringify(["options", { run: "r", metric: "rss", threshold: 0.5, inlayHints: false, heavyLines: "hint" }]),
  ],
  pieces: COMMANDS.map((command) => JSON.stringify(command)),
  read(input) {
    const value = parsed(input);
    if (!Array.isArray(value)) return "refused";
    const [command, first] = value;
    // The protocol's own reader lets nothing else through.
    if (typeof command !== "string") return "refused";
    if (command === "options") {
      const { options, problem } = readOptions(first);
      demandFinite(options, "options");
      return problem === undefined ? "read" : "refused";
    }
    const request = readRequest(command, [first]);
    demand(request.kind !== "describeRun" || path.basename(request.folder) !== undefined, "a folder is no text");
    return "read";
  },
};

export const readers: readonly FuzzReader[] = [
  printedBySsh,
  configuration,
  knownHosts,
  addresses,
  commandLines,
  settings,
  typedArguments,
  pages,
  requests,
];
