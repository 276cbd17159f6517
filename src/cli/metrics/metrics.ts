/** Runs as Prometheus reads them. docs/scale.md says what each figure is. */
import * as path from "node:path";
import Gauge from "prom-client/lib/gauge.js";
import Registry from "prom-client/lib/registry.js";
import type { Sample } from "../../profile/samples/samples.ts";
import { outcomeOf } from "../../runs/list/outcome.ts";
import type { RunSummary } from "../../runs/model.ts";

export const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** The newest sample of a run that has not ended, and when its file was last written here, in ms since 1970. */
export interface Live {
  readonly sample: Sample;
  readonly writtenAt: number;
}

export interface ShownRun {
  readonly run: RunSummary;
  readonly live?: Live;
}

/** Bytes and seconds, as Prometheus has them; what is not known has no figure. `run` is the name that commands take. */
const FIGURES: Readonly<Record<string, { help: string; of: (shown: ShownRun) => number | undefined }>> = {
  run_peak_rss_bytes: {
    help: "Highest RSS of the run's main process, or of the rank that went highest. Not of runs under massif.",
    of: ({ run }) => (run.massif ? undefined : run.rssPeak),
  },
  run_elapsed_seconds: {
    help: "How long the run took, by the board's clock.",
    of: ({ run }) => (run.elapsedMs === undefined ? undefined : run.elapsedMs / 1000),
  },
  run_started_timestamp_seconds: {
    help: "When the run began, by the board's clock.",
    of: ({ run }) => secondsOf(run.started),
  },
  run_rss_bytes: {
    help: "RSS of the main process in the newest sample. Of runs that have not ended.",
    of: ({ live }) => live?.sample.rss,
  },
  run_board_available_bytes: {
    help: "MemAvailable of the run's board in the newest sample. Of runs that have not ended.",
    of: ({ live }) => live?.sample.memAvailable,
  },
  run_last_sample_timestamp_seconds: {
    help: "When the newest sample came to this computer. Of runs that have not ended.",
    of: ({ live }) => (live === undefined ? undefined : live.writtenAt / 1000),
  },
};

function secondsOf(time: string | undefined): number | undefined {
  const ms = Date.parse(time ?? "");
  return Number.isFinite(ms) ? ms / 1000 : undefined;
}

/**
 * @param unreadable how many runs more there are that cannot be read
 * @returns the text that Prometheus scrapes
 */
export async function metricsText(shown: readonly ShownRun[], unreadable: number): Promise<string> {
  const registry = new Registry();
  const gauge = (name: string, help: string, labelNames: readonly string[]) =>
    new Gauge({ name: `jetson_memprof_${name}`, help, labelNames, registers: [registry] });

  gauge("runs_unreadable", "Runs of the project that cannot be read.", []).set(unreadable);
  const info = gauge("run_info", "What the run is: always 1.", ["run", "script", "target", "simulated", "outcome"]);
  for (const { run } of shown) {
    const { script = "", target = "" } = run;
    const simulated = String(run.simulated);
    info.set({ run: nameOf(run), script, target, simulated, outcome: outcomeOf(run) }, 1);
  }
  for (const [name, { help, of }] of Object.entries(FIGURES)) {
    const figures = gauge(name, help, ["run"]);
    for (const one of shown) {
      const figure = of(one);
      if (figure !== undefined) figures.set({ run: nameOf(one.run) }, figure);
    }
  }
  return await registry.metrics();
}

function nameOf({ folder }: RunSummary): string {
  return path.basename(folder);
}
