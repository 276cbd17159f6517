/** What a survey says, read: what every line of Check Board draws on. */
import { present } from "../../profile/files/jsonRecords.ts";
import { type BoardKind, identifyBoard } from "../identity/identify.ts";
import type { Meminfo } from "../moments/model.ts";
import { parseCudaVersion } from "../parse/cudaVersion.ts";
import { parseMeminfo } from "../parse/meminfo.ts";
import { type NvmapClients, parseNvmapClients } from "../parse/nvmap.ts";
import { type OsRelease, parseOsRelease } from "../parse/osRelease.ts";
import { parseTegraRelease } from "../parse/tegraRelease.ts";
import { upstreamVersion } from "../parse/version.ts";
import type { Survey, SurveyedPython } from "../survey.ts";

export interface Facts {
  readonly survey: Survey;
  readonly kind: BoardKind;
  /** The CUDA found in /usr/local/cuda; `kind.cuda` may be the release's. */
  readonly installedCuda?: string;
  readonly meminfo: Meminfo;
  /** The table of NvMap's clients, where the account may read it. */
  readonly nvmap?: NvmapClients;
  readonly os: OsRelease;
  /** The account is root: commands need no sudo. */
  readonly isRoot: boolean;
  /** The interpreter that runs scripts. */
  readonly python?: SurveyedPython;
}

export const NVMAP_CLIENTS = "sys/kernel/debug/nvmap/iovmm/clients";

export function readFacts(survey: Survey): Facts {
  const { files } = survey;
  const meminfo = parseMeminfo(files["proc/meminfo"] ?? "");
  const core = survey.packages["nvidia-l4t-core"];
  const l4t = parseTegraRelease(files["etc/nv_tegra_release"] ?? "") ?? (core ? upstreamVersion(core) : undefined);
  const cuda = ["usr/local/cuda/version.json", "usr/local/cuda/version.txt"]
    .map((file) => parseCudaVersion(files[file] ?? ""))
    .find((version) => version !== undefined);
  const python = survey.pythons.find(({ used }) => used);
  return present({
    survey,
    meminfo,
    nvmap: parseNvmapClients(files[NVMAP_CLIENTS] ?? ""),
    os: parseOsRelease(files["etc/os-release"] ?? ""),
    isRoot: survey.user?.uid === 0,
    kind: identifyBoard(
      present({
        model: files["proc/device-tree/model"],
        compatible: files["proc/device-tree/compatible"],
        memTotal: meminfo["MemTotal"],
        l4t,
        cuda,
      }),
    ),
    installedCuda: cuda,
    python,
  });
}
