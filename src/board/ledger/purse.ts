/** Dividing a number of bytes so that the parts add up to it exactly, whatever is claimed. */

/** Counts are not taken at one instant; what they disagree by up to this is not worth a note. Bytes. */
const DISAGREEMENT = 2 * 1024 * 1024;

/** Whole bytes; 0 for what is no size. */
export function wholeBytes(value: number | undefined): number {
  if (value === undefined || !(value > 0)) return 0;
  return Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER);
}

/** Called where less could be given than was claimed. */
export type Note = (what: string, claimed: number, given: number) => void;

export interface Purse {
  /** What is left. */
  readonly left: number;
  /** Takes out what is claimed, or what is left; the difference is noted where it is worth it. */
  take(what: string, claimed: number): number;
  /** Takes out what is left. */
  takeRest(): number;
}

export function createPurse(bytes: number, note: Note): Purse {
  let left = wholeBytes(bytes);
  return {
    get left() {
      return left;
    },
    take(what, claimed) {
      const wanted = wholeBytes(claimed);
      const given = Math.min(wanted, left);
      if (wanted - given > DISAGREEMENT) note(what, wanted, given);
      left -= given;
      return given;
    },
    takeRest() {
      const given = left;
      left = 0;
      return given;
    },
  };
}

/** What each of the claims gets of `bytes`: all of it where there is enough, else in proportion. */
export function shareOut(bytes: number, claims: readonly number[]): number[] {
  const wanted = claims.map(wholeBytes);
  const sum = wanted.reduce((total, claim) => total + claim, 0);
  if (sum <= bytes) return wanted;
  let left = bytes;
  return wanted.map((claim) => {
    const given = Math.min(left, claim, Math.ceil((claim / sum) * bytes));
    left -= given;
    return given;
  });
}
