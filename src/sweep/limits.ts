/** Which value of a numeric parameter is the largest that fits: what ran, what did not, and what a line says. */

import { defined } from "../profile/defined.ts";
import { t } from "../words/t.ts";
import {
  type Estimate,
  FIGURES,
  type Figure,
  type Limit,
  type Parameter,
  type Room,
  type SweepPoint,
  type Values,
} from "./model.ts";
import { fitLine, largestWithin, type Measurement } from "./straightLine.ts";
import { axes, combinations, sameValues, without } from "./values.ts";

/** A line is not believed further out than so many times the largest value that ran. */
const FARTHEST = 10;

export type Rooms = Readonly<Partial<Record<Figure, Room>>>;

/** @param roomsAt what a run could take, the other parameters being what they are */
export function limitsOf(
  parameters: readonly Parameter[],
  points: readonly SweepPoint[],
  roomsAt: (others: Values) => Rooms,
): Limit[] {
  return axes(parameters).flatMap((parameter) => {
    const { name } = parameter;
    return combinations(parameters.filter((other) => other !== parameter)).flatMap((others) => {
      const own = points
        .filter(({ values }) => sameValues(without(values, name), others))
        .map((point) => ({ x: Number(point.values[name]), point }));
      const ran = own.filter(({ point }) => point.state === "fits");
      const failed = own.filter(({ point }) => point.state === "out-of-memory");
      if (ran.length === 0 && failed.length === 0) return [];
      const limit = {
        parameter: name,
        others,
        ...(ran.length === 0 ? {} : { largestRun: Math.max(...ran.map(({ x }) => x)) }),
        ...(failed.length === 0 ? {} : { smallestFailed: Math.min(...failed.map(({ x }) => x)) }),
      };
      const rooms = roomsAt(others);
      const whole = parameter.values.every((value) => Number.isSafeInteger(Number(value)));
      const estimates = FIGURES.filter((figure) => ran.some(({ point }) => point.peaks[figure])).map((figure) =>
        estimate(figure, measurements(ran, figure), limit, whole, rooms[figure]),
      );
      return [{ ...limit, estimates }];
    });
  });
}

interface Ran {
  readonly x: number;
  readonly point: SweepPoint;
}

function measurements(ran: readonly Ran[], figure: Figure): Measurement[] {
  return ran.flatMap(({ x, point }) => {
    const peak = point.peaks[figure];
    return peak === undefined ? [] : [{ x, y: peak.median, ...defined({ spread: peak.spread }) }];
  });
}

function estimate(
  figure: Figure,
  found: readonly Measurement[],
  { largestRun = 0, smallestFailed = Number.POSITIVE_INFINITY }: Pick<Limit, "largestRun" | "smallestFailed">,
  whole: boolean,
  room: Room | undefined,
): Estimate {
  const fit = fitLine(found);
  if (fit.kind === "none") return { figure, kind: "no-line", reason: fit.reason };
  const { slope, fixed, misfit } = fit.line;
  const line = { bytesEach: slope, fixed, misfit, points: found.length };
  const noLimit = (reason: string): Estimate => ({ figure, kind: "no-limit", line, reason });
  if (room === undefined) return noLimit(t("How much memory there was is not known."));
  const most = rounded(largestWithin(fit.line, found, room.bytes), whole);
  if (most >= smallestFailed) {
    return noLimit(
      t(
        "By this line {0} fits, but {1} ran out of memory: less could be had than was available, or the last part grows faster.",
        most,
        smallestFailed,
      ),
    );
  }
  if (most < largestRun) {
    return noLimit(
      t(
        "By this line {0} is the largest that fits, but {1} ran: the board made room, by swapping or by giving up caches.",
        most,
        largestRun,
      ),
    );
  }
  if (most > FARTHEST * largestRun) {
    return noLimit(
      t(
        "By this line, more than {0} times the largest value that ran would fit, which is too far to trust. Run larger values to find the limit.",
        FARTHEST,
      ),
    );
  }
  return { figure, kind: "fits-up-to", line, largest: most };
}

/** Downwards: to a whole number, or to three digits. */
function rounded(value: number, whole: boolean): number {
  if (whole || value === 0) return Math.floor(value + 1e-6);
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 2);
  return Number((Math.floor(value / step + 1e-6) * step).toPrecision(3));
}

export type Fitting = Extract<Estimate, { readonly kind: "fits-up-to" }>;

/** The estimate to go by. Each memory has to suffice, so it is the lowest; RSS alone says nothing of the GPU's. */
export function carefulEstimate({ estimates }: Limit): Fitting | undefined {
  const usesCuda = estimates.some(({ figure }) => figure === "cuda");
  const lines = estimates
    .filter((one) => one.kind === "fits-up-to")
    .filter(({ figure }) => !usesCuda || figure !== "rss");
  return lines.sort((a, b) => a.largest - b.largest)[0];
}
