/** The container that the settings name. */
import type { ContainerPlace } from "../../protocol/run/run.ts";
import type { RunSettings } from "../settings/settings.ts";

/** Options are for a container that is made: they may stand in the settings while one is used that runs. */
export function containerSet(
  { container, containerOptions }: Pick<RunSettings, "container" | "containerOptions">,
  parse: (text: string, options: readonly string[]) => ContainerPlace,
): ContainerPlace | undefined {
  if (container === undefined) return undefined;
  return parse(container, container.startsWith("image:") ? containerOptions : []);
}
