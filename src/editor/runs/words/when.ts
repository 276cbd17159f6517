/** When a run began, as its row says it. */
import { language } from "../../../words/t.ts";

/** As short as can be told apart from other runs: a row has little room. */
export function shortWhen(time: Date, now: Date): string {
  const { date, today, thisYear } = formats();
  if (time.toDateString() === now.toDateString()) return today.format(time);
  return (time.getFullYear() === now.getFullYear() ? thisYear : date).format(time);
}

export const longWhen = (time: Date): string => formats().date.format(time);

/** The computer's, unless the window speaks another language than English. */
export const locale = (): string | undefined => (language() === "en" ? undefined : language());

interface Formats {
  readonly locale: string | undefined;
  readonly date: Intl.DateTimeFormat;
  readonly today: Intl.DateTimeFormat;
  readonly thisYear: Intl.DateTimeFormat;
}

let made: Formats | undefined;

/** Made when first needed: the language is not known before, and making them takes a while. */
function formats(): Formats {
  const wanted = locale();
  if (made === undefined || made.locale !== wanted) {
    made = {
      locale: wanted,
      date: new Intl.DateTimeFormat(wanted, { dateStyle: "medium", timeStyle: "short" }),
      today: new Intl.DateTimeFormat(wanted, { timeStyle: "short" }),
      thisYear: new Intl.DateTimeFormat(wanted, { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" }),
    };
  }
  return made;
}
