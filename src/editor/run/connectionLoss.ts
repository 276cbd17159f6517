/** A followed run whose connection is lost: what its user is told from then until the board is heard again. */
import { formatDuration } from "../../profile/text/format.ts";
import { LOST } from "../../protocol/run/progressText.ts";
import type { RunEvent } from "../../protocol/run/run.ts";
import { phrase, say, sentences, t } from "../../words/t.ts";
import { locale } from "../runs/words/when.ts";

export type Reconnecting = Extract<RunEvent, { readonly kind: "reconnecting" }>;

export interface LossParts {
  /** Beside the run's progress; said anew each second while the next try is waited for. */
  progress(text: string): void;
  /** Where the script's output is; a terminal breaks long lines within words. */
  note(...lines: readonly string[]): void;
  /** The connection did not come back at once: what can be done about it. */
  offer(text: string): void;
  /** After an offer: it came back. */
  tell(text: string): void;
  /** The connection went or came back. */
  changed(): void;
}

export interface ConnectionLoss {
  readonly isLost: boolean;
  reconnecting(event: Reconnecting): void;
  /** The board was heard. */
  reconnected(): void;
  dispose(): void;
}

/** A Wi-Fi that comes back with the first try is nothing to decide about. */
const OFFERED_AT = 2;
const TICK_MS = 1_000;
const RETRIES = phrase("VS Code keeps trying to reconnect.");

/**
 * @param title the run, as it is called in messages
 * @param now milliseconds since the epoch
 */
export function createConnectionLoss(title: string, parts: LossParts, now: () => number = Date.now): ConnectionLoss {
  let since: number | undefined;
  let offered = false;
  let ticking: NodeJS.Timeout | undefined;

  const stop = (): void => {
    clearInterval(ticking);
    ticking = undefined;
  };
  return {
    get isLost() {
      return since !== undefined;
    },
    reconnecting(event) {
      const isNew = since === undefined;
      const lostAt = since ?? now();
      since = lostAt;
      const retryAt = now() + event.delayMs;
      const said = t("{0} Since {1}.", say(LOST[event.script]), clock(lostAt));
      const tell = (): void => parts.progress(sentences(said, retryText(retryAt - now())));
      stop();
      tell();
      ticking = setInterval(tell, TICK_MS);
      if (isNew) {
        parts.note(said, t("{0} The output continues here.", say(RETRIES)), `(${event.reason})`);
        parts.changed();
      }
      if (event.attempt >= OFFERED_AT && !offered) {
        offered = true;
        parts.offer(
          t("{0}: {1} {2} Output and figures recorded meanwhile are fetched then.", title, said, say(RETRIES)),
        );
      }
    },
    reconnected() {
      if (since === undefined) return;
      const text = t("Connected again after {0}.", formatDuration(now() - since));
      stop();
      since = undefined;
      parts.note(text);
      if (offered) parts.tell(t("{0}: {1} What happened meanwhile is fetched from the board.", title, text));
      offered = false;
      parts.changed();
    },
    dispose() {
      stop();
      since = undefined;
    },
  };
}

function clock(at: number): string {
  return new Date(at).toLocaleTimeString(locale(), { timeStyle: "medium" });
}

function retryText(ms: number): string {
  return ms <= 0 ? t("Trying now…") : t("Trying again in {0} s.", Math.ceil(ms / 1000));
}
