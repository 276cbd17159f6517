/** `watch`: a board's memory, a line each time it was read, until Ctrl-C. */
import { createMomentTable } from "../../../board/moments/momentTable.ts";
import { defined } from "../../../profile/defined.ts";
import type { BoardIdentity } from "../../../profile/model.ts";
import { printable } from "../../../profile/text/text.ts";
import { DEFAULT_BOARD_FOLDER, type WatchEvent, type WatchHandle } from "../../../protocol/run/run.ts";
import { parseTarget } from "../../../remote/address.ts";
import { parseJson } from "../../../remote/helper/callHelper.ts";
import { watchBoard } from "../../../remote/watch.ts";
import { t } from "../../../words/t.ts";
import type { WatchCommand } from "../../commandLine/commandLine.ts";
import { INTERRUPTED } from "../../run/exitStatus.ts";
import type { Surroundings } from "../../run/followRun.ts";
import { createInput } from "../../terminal/input.ts";
import { jsonText } from "../../terminal/output.ts";
import { createPrompter } from "../../terminal/prompter.ts";
import { noStatusLine } from "../../terminal/statusLine.ts";
import { placeOf } from "../boardPlace.ts";
import { momentLine, watchHeader } from "./watchTable.ts";

/**
 * @returns the exit status
 * @throws UserError
 */
export async function watch(command: WatchCommand, helperFolder: string, around: Surroundings): Promise<number> {
  const { stdout, stderr, stdin, signals, quit } = around;
  const input = createInput(stdin, interrupt);
  let handle: WatchHandle | undefined;
  let interrupted = false;

  function interrupt(): void {
    if (interrupted) {
      quit(INTERRUPTED);
      return;
    }
    interrupted = true;
    input.abandon();
    handle?.stop();
  }

  const target = parseTarget(command.target);
  const print = command.json ? printRecords(stdout.write) : printTable(stdout.write);
  function onEvent(event: WatchEvent): void {
    switch (event.kind) {
      case "connected":
        stderr.write(
          t(
            "Watching {0} ({1}). Ctrl-C ends it.\n",
            boardText(event.board),
            printable(placeOf(target, event.board.simulated)),
          ),
        );
        break;
      case "record":
        print(event.line);
        break;
      case "reconnecting":
        stderr.write(
          t("Note: {0} Trying again in {1} s.\n", printable(event.reason), Math.round(event.delayMs / 1000)),
        );
        break;
      case "warning":
        stderr.write(t("Note: {0}\n", printable(event.message)));
        break;
    }
  }

  signals.on("SIGINT", interrupt);
  signals.on("SIGTERM", interrupt);
  try {
    const { python, boardFolder = DEFAULT_BOARD_FOLDER, intervalMs } = command;
    handle = watchBoard(
      {
        target,
        boardFolder,
        intervalMs,
        ...defined({ python }),
      },
      { prompter: createPrompter(input, stderr, noStatusLine), helperFolder, onEvent },
    );
    // Nobody reads it any more, as with `| head`.
    void stdout.ended.then(handle.stop);
    const error = await handle.done;
    if (error !== undefined) throw error;
    return 0;
  } finally {
    signals.off("SIGINT", interrupt);
    signals.off("SIGTERM", interrupt);
    input.stop();
  }
}

/** What a board sends is passed on where it is a record, escaped for a terminal. */
function printRecords(write: (text: string) => void): (line: string) => void {
  return (line) => {
    const record = parseJson(line);
    if (typeof record === "object" && record !== null) write(jsonText(record, 0));
  };
}

function printTable(write: (text: string) => void): (line: string) => void {
  const table = createMomentTable(t("the board's records"));
  return (line) => {
    const before = table.size;
    table.add(line);
    if (before === 0 && table.size > 0) write(`${watchHeader()}\n`);
    if (table.size > before) write(`${momentLine(table.moment(before))}\n`);
  };
}

const boardText = ({ model, hostname }: BoardIdentity): string => printable(model ?? hostname ?? t("the board"));
