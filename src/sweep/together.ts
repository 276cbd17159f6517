/** One training over several boards: what torchrun is told on each of them. Pure. */
import { UserError } from "../profile/userError.ts";
import { t } from "../words/t.ts";

/** Where the boards meet: the first of them, as the others reach it. */
export interface Meeting {
  readonly host: string;
  readonly port: number;
}

/** PyTorch's own. */
export const MEETING_PORT = 29_500;

/** `torchrun`, `python3 -m torch.distributed.run` and the older `… .launch` take the same options, in these spellings of all releases. */
const MODULES = ["torch.distributed.run", "torch.distributed.launch"];

/** How many words of a launcher come before its options; undefined where it is not PyTorch's. */
function wordsOfTorchrun(launch: readonly string[]): number | undefined {
  if (/(?:^|\/)torchrun$/.test(launch[0] ?? "")) return 1;
  const module = launch.findIndex((word) => MODULES.includes(word));
  return module > 0 && launch[module - 1] === "-m" ? module + 1 : undefined;
}

const OURS = /^--(?:nnodes|node[-_]rank|master[-_](?:addr|port)|rdzv[-_]\w+|standalone)(?:=|$)/;

/** @throws UserError `usage` where the launcher cannot be told of several boards */
export function checkTogether(launch: readonly string[] | undefined): void {
  const words = launch === undefined ? undefined : wordsOfTorchrun(launch);
  if (launch === undefined || words === undefined) {
    throw new UserError(
      "usage",
      t("One training over several boards is started by torchrun."),
      t("Write --together … --launch torchrun --nproc-per-node 1 train.py."),
    );
  }
  const own = launch.slice(words).find((word) => OURS.test(word));
  if (own !== undefined) {
    throw new UserError(
      "usage",
      t("With --together, {0} is set for each board.", own.split("=", 1)[0] ?? own),
      t("Leave it out. --meet HOST:PORT says where the boards reach the first one."),
    );
  }
}

/**
 * @param launch as `checkTogether` lets it pass
 * @param node 0 for the board where they meet
 */
export function launchTogether(
  launch: readonly string[],
  { node, nodes }: { readonly node: number; readonly nodes: number },
  { host, port }: Meeting,
): readonly string[] {
  const words = wordsOfTorchrun(launch) ?? 1;
  const told = [`--nnodes=${nodes}`, `--node_rank=${node}`, `--master_addr=${host}`, `--master_port=${port}`];
  return [...launch.slice(0, words), ...told, ...launch.slice(words)];
}

/** `192.168.1.20`, `nano-1:29501`, `[fe80::1]:29501`; @throws UserError `usage` */
export function readMeeting(text: string): Meeting {
  const [, bracketed, plain, port = String(MEETING_PORT)] =
    /^(?:\[([^\][\s]{1,255})\]|([^:\s]{1,255}))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host !== undefined && !host.startsWith("-") && Number(port) >= 1 && Number(port) <= 65_535) {
    return { host, port: Number(port) };
  }
  throw new UserError(
    "usage",
    t('"{0}" is no place where boards can meet.', text),
    t("Write the first board's address as the others reach it, such as 192.168.1.20 or nano-1:29500."),
  );
}
