/** The page of Check Board, one for each board. Which command runs is the editor's choice; the page only names a line. */
import * as vscode from "vscode";
import type { DoctorReport, Remedy } from "../../../board/doctor/model.ts";
import { defined } from "../../../profile/defined.ts";
import { type DoctorPageToEditor, readDoctorPageToEditor, type ToDoctorPage } from "../../../protocol/board/doctor.ts";
import { t } from "../../../words/t.ts";
import { copyText, hostPage, openPages, type PageHostParts } from "../../page/pageHost.ts";
import { openPanel } from "../../page/pageParts.ts";
import { messageOf } from "../../report/asUserError.ts";
import { plainText } from "../../report/plainText.ts";
import type { Report } from "../../report/report.ts";
import type { Board } from "./doctorBoard.ts";
import { doctorHtml } from "./doctorHtml.ts";
import { runWithConsent } from "./doctorRun.ts";

interface DoctorPage {
  readonly panel: vscode.WebviewPanel;
  show(report: DoctorReport): void;
}

/** By target. */
const pages = openPages<DoctorPage>();

/** Opens the page of a board with what was found, or shows it in the one that is open. */
export function openDoctor(parts: PageHostParts, board: Board, report: DoctorReport): void {
  const open = pages.reveal(board.target);
  if (open !== undefined) {
    open.show(report);
    return;
  }
  const title = plainText(t("Check Board: {0}", board.label), 100);
  const panel = openPanel("doctor", title, vscode.ViewColumn.Active);
  pages.add(board.target, fill(parts, panel, board, report));
}

function fill(parts: PageHostParts, panel: vscode.WebviewPanel, board: Board, first: DoctorReport): DoctorPage {
  let found = first;
  let foundMessage = reportMessage(board, first);
  /** What was said last; the page keeps the findings beside it. */
  let latest: ToDoctorPage = foundMessage;

  const post = (message: ToDoctorPage): void => {
    latest = message;
    void page.post(message);
  };
  const show = (next: DoctorReport): void => {
    found = next;
    foundMessage = reportMessage(board, next);
    post(foundMessage);
  };
  const again = async (): Promise<void> => {
    if (latest.kind === "checking") return;
    post({ kind: "checking", target: board.label });
    try {
      show(await board.check());
    } catch (error) {
      const cancelled = error instanceof vscode.CancellationError;
      post(cancelled ? foundMessage : { kind: "unavailable", message: messageOf(error) });
    }
  };
  const remedyOf = (line: string): Remedy | undefined => found.lines.find(({ id }) => id === line)?.remedy;
  const page = hostPage<ToDoctorPage, DoctorPageToEditor>(parts, panel, {
    name: "doctor",
    doing: t("Checking the board"),
    html: doctorHtml,
    read: readDoctorPageToEditor,
    async received(message): Promise<void> {
      switch (message.kind) {
        case "ready":
          await page.post(foundMessage);
          if (latest !== foundMessage) await page.post(latest);
          return;
        case "again":
          return again();
        case "copy": {
          const command = remedyOf(message.line)?.command;
          if (command !== undefined) await copyText(command, t("The command is in the clipboard."));
          return;
        }
        case "run": {
          const remedy = remedyOf(message.line);
          if (remedy !== undefined && (await runRemedy(parts.report, board, remedy, found.simulated))) await again();
        }
      }
    },
  });
  return { panel, show };
}

function reportMessage(board: Board, report: DoctorReport): ToDoctorPage {
  return { kind: "report", target: board.label, checkedAt: new Date().toISOString(), report };
}

async function runRemedy(
  report: Report,
  board: Board,
  { command, text, undo }: Remedy,
  simulated: string | undefined,
): Promise<boolean> {
  if (command === undefined) return false;
  return runWithConsent(report, board, {
    command,
    effect: text,
    ...defined({ undo, simulated }),
  });
}
