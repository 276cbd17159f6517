/** Programs on the board that measure, or that people compare with. */
import { printable } from "../../profile/text/text.ts";
import { t } from "../../words/t.ts";
import { isOlder, upstreamVersion } from "../parse/version.ts";
import type { Facts } from "./facts.ts";
import type { DoctorLine } from "./model.ts";
import { asRoot, hasApt, install, joinGroup, pipIsRefused, rootLine } from "./remedies.ts";

export function toolLines(facts: Facts): readonly DoctorLine[] {
  return [valgrind(facts), ...tegrastats(facts), smem(facts), ...jtop(facts)];
}

/** Their processors have none of the instructions that an old valgrind does not know. */
const FIRST_GENERATION = ["tegra210", "tegra186"];

function valgrind(facts: Facts): DoctorLine {
  const { survey, kind, os } = facts;
  const line = {
    id: "valgrind",
    topic: "tools",
    title: "Valgrind",
    goodFor: t("The engine massif: native call stacks of the heap, with the Python lines in them."),
  } as const;
  const program = survey.programs["valgrind"];
  const version = program?.version ?? (survey.packages["valgrind"] && upstreamVersion(survey.packages["valgrind"]));
  if (!program) {
    return {
      ...line,
      status: "missing",
      found: t("not installed"),
      remedy: install(facts, "valgrind", t("The engine massif needs it.")),
    };
  }
  if (!version)
    return { ...line, status: "unknown", found: t("{0}, which does not report its version", printable(program.path)) };
  const found = `valgrind ${printable(version)}`;
  const later = survey.kernel?.machine === "aarch64" && !FIRST_GENERATION.includes(kind.soc ?? "");
  if (!later || isOlder(version, [3, 15]) !== true) return { ...line, status: "ok", found };
  const system = os.name === undefined ? t("The distribution") : printable(os.name);
  return {
    ...line,
    status: "limited",
    found: t("{0}, too old for this processor", found),
    remedy: {
      text: t(
        "It does not hide from libraries the processor's newer instructions that it does not know itself, so scripts may end with an illegal instruction (SIGILL). {0} has no newer one: build 3.18 or newer from https://valgrind.org/downloads/.",
        system,
      ),
    },
  };
}

function tegrastats(facts: Facts): readonly DoctorLine[] {
  const { kind, survey } = facts;
  if (!kind.tegra) return [];
  const line = {
    id: "tegrastats",
    topic: "tools",
    title: "tegrastats",
    goodFor: t("GPU load, temperatures and power beside the memory; the memory itself is read without it."),
  } as const;
  const program = survey.programs["tegrastats"];
  if (program) return [{ ...line, status: "ok", found: printable(program.path) }];
  const packaged = hasApt(facts) && kind.l4t !== undefined && isOlder(kind.l4t, [32, 0]) === false;
  return [
    {
      ...line,
      status: "missing",
      found: t("not found"),
      ...(packaged
        ? {
            remedy: asRoot(
              facts,
              t("This installs again the package of this release that it belongs to."),
              "apt-get install -y --reinstall nvidia-l4t-tools",
            ),
          }
        : {}),
    },
  ];
}

function smem(facts: Facts): DoctorLine {
  const line = {
    id: "smem",
    topic: "tools",
    title: "smem",
    goodFor: t("For comparison: the ledger works out the same figures (PSS, USS, smem -w) without it."),
  } as const;
  const program = facts.survey.programs["smem"];
  if (program) return { ...line, status: "ok", found: printable(program.path) };
  return {
    ...line,
    status: "ok",
    found: t("not installed, and not needed"),
    remedy: install(facts, "smem", t("Only if you want to compare.")),
  };
}

function jtop(facts: Facts): readonly DoctorLine[] {
  const { survey, kind } = facts;
  if (!kind.tegra) return [];
  const line = {
    id: "jtop",
    topic: "tools",
    title: "jtop",
    goodFor: t("For comparison: a live view of the board in a terminal. Nothing here needs it."),
  } as const;
  const program = survey.programs["jtop"];
  const version = program?.version === undefined ? "" : ` ${printable(program.version)}`;
  if (!program) {
    const pip = pipIsRefused(facts)
      ? "pip3 install --break-system-packages -U jetson-stats"
      : "pip3 install -U jetson-stats";
    return [
      {
        ...line,
        status: "ok",
        found: t("not installed, and not needed"),
        remedy: asRoot(
          facts,
          t(
            "Only if you want to compare. This installs jetson-stats and its service; restart the board afterwards. It needs pip: `{0}`.",
            rootLine(facts, "apt-get install -y python3-pip"),
          ),
          pip,
          "pip3 uninstall -y jetson-stats",
        ),
      },
    ];
  }
  if (facts.isRoot || survey.user === undefined || survey.user.groups.includes("jtop")) {
    return [{ ...line, status: "ok", found: `${printable(program.path)}${version}` }];
  }
  return [
    {
      ...line,
      status: "limited",
      found: t("{0}, but your account is not in the group jtop", `${printable(program.path)}${version}`),
      remedy: joinGroup(facts, "jtop", t("talk to jtop's service")),
    },
  ];
}
