/** The samples of a timeline as they come, no more than are kept in memory. */
import { LIMITS, type Limits } from "../limits.ts";
import { decodeSample, highestRss, type Sample } from "./samples.ts";

export interface SampleList {
  /**
   * Takes one line of the file.
   * @throws UserError as decodeSample
   */
  add(line: string): void;
  /** In order; where there were too many, the one with the highest RSS stands for its neighbors. */
  samples(): readonly Sample[];
  /** The newest that was read. */
  last(): Sample | undefined;
  /** Highest RSS of the main process so far, bytes. */
  rssPeak(): number | undefined;
  /** The timeline is longer than what is looked at. */
  cut(): boolean;
}

/** @param file the path shown in errors */
export function createSampleList(file: string, limits: Pick<Limits, "samples" | "samplesRead"> = LIMITS): SampleList {
  let kept: Sample[] = [];
  let stride = 1;
  let read = 0;
  let rssPeak: number | undefined;
  let last: Sample | undefined;
  let cut = false;

  function keep(sample: Sample): void {
    put(kept, sample, read % stride === 0);
    if (kept.length <= limits.samples) return;
    kept = pairs(kept);
    stride *= 2;
  }

  return {
    add(line) {
      if (read >= limits.samplesRead) {
        cut = true;
        return;
      }
      const sample = decodeSample(line, file);
      if (sample === undefined) return;
      rssPeak = highestRss(rssPeak, sample);
      keep(sample);
      last = sample;
      read++;
    },
    samples: () => kept,
    last: () => last,
    rssPeak: () => rssPeak,
    cut: () => cut,
  };
}

function pairs(samples: readonly Sample[]): Sample[] {
  const result: Sample[] = [];
  samples.forEach((sample, at) => {
    put(result, sample, at % 2 === 0);
  });
  return result;
}

/** At the end; where no stretch of time begins with it, the higher of it and the last stands for both. */
function put(samples: Sample[], sample: Sample, begins: boolean): void {
  const last = samples.at(-1);
  if (last === undefined || begins) samples.push(sample);
  else if ((sample.rss ?? 0) > (last.rss ?? 0)) samples[samples.length - 1] = sample;
}
