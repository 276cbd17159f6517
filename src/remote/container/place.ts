/** Where on a board a run happens, as a person writes it: `container:NAME` or `image:NAME[:TAG]`. */
import { printable } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import type { ContainerPlace } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";

/** What an engine takes for a name; never an option of it. */
const NAMES = {
  container: /^[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$/,
  image: /^[A-Za-z0-9][A-Za-z0-9_.:/@-]{0,254}$/,
} as const;

/**
 * @param options for the engine's `run`, where a container is made of an image
 * @throws UserError `bad-inside`
 */
export function parseInside(text: string, options: readonly string[] = []): ContainerPlace {
  const colon = text.indexOf(":");
  const kind = text.slice(0, Math.max(colon, 0)).trim();
  const name = text.slice(colon + 1).trim();
  if ((kind !== "container" && kind !== "image") || !NAMES[kind].test(name)) {
    throw new UserError(
      "bad-inside",
      t('A run cannot be inside of "{0}".', printable(text).slice(0, 120)),
      t("Write container:NAME for a container that runs, or image:NAME:TAG for a new one of an image."),
    );
  }
  if (kind === "container" && options.length > 0) {
    throw new UserError(
      "bad-inside",
      t("Options for the container can be given only where it is made of an image; {0} runs already.", name),
      t("Leave them out, or write image:NAME:TAG."),
    );
  }
  return { kind, name, options };
}

/** The inverse of `parseInside`, but for the options. */
export function formatInside({ kind, name }: ContainerPlace): string {
  return `${kind}:${name}`;
}
