/** The page of Check Board, one for each board. Which command runs is the editor's choice; the page only names a line. */
import * as vscode from "vscode";
import type { DoctorReport, Remedy } from "../../../board/doctor/model.ts";
import { readDoctorPageToEditor, type ToDoctorPage } from "../../../protocol/board/doctor.ts";
import { t } from "../../../words/t.ts";
import { openPanel, preparePage } from "../../page/pageParts.ts";
import { messageOf } from "../../report/asUserError.ts";
import { plainText } from "../../report/plainText.ts";
import type { Report } from "../../report/report.ts";
import type { Board } from "./doctorBoard.ts";
import { doctorHtml } from "./doctorHtml.ts";
import { runWithConsent } from "./doctorRun.ts";

export interface DoctorParts {
  readonly context: Pick<vscode.ExtensionContext, "extensionUri">;
  readonly report: Report;
}

interface DoctorPage {
  readonly panel: vscode.WebviewPanel;
  show(report: DoctorReport): void;
}

const SAID_MS = 5_000;
/** By target. */
const pages = new Map<string, DoctorPage>();

/** Opens the page of a board with what was found, or shows it in the one that is open. */
export function openDoctor(parts: DoctorParts, board: Board, report: DoctorReport): void {
  const open = pages.get(board.target);
  if (open !== undefined) {
    open.show(report);
    open.panel.reveal();
    return;
  }
  const title = plainText(t("Check Board: {0}", board.label), 100);
  const panel = openPanel("jetsonMemprof.doctor", title, vscode.ViewColumn.Active);
  pages.set(board.target, fill(parts, panel, board, report));
  panel.onDidDispose(() => pages.delete(board.target));
}

function fill(
  { context, report }: DoctorParts,
  panel: vscode.WebviewPanel,
  board: Board,
  first: DoctorReport,
): DoctorPage {
  const { webview } = panel;
  let pageReady = false;
  let found = first;
  let foundMessage = reportMessage(board, first);
  /** What was said last; the page keeps the findings beside it. */
  let latest: ToDoctorPage = foundMessage;

  const post = (message: ToDoctorPage): void => {
    latest = message;
    if (pageReady) void webview.postMessage(message);
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
  const received = async (raw: unknown): Promise<void> => {
    const message = readDoctorPageToEditor(raw);
    switch (message?.kind) {
      case "ready":
        pageReady = true;
        await webview.postMessage(foundMessage);
        if (latest !== foundMessage) await webview.postMessage(latest);
        return;
      case "again":
        return again();
      case "copy": {
        const command = remedyOf(message.line)?.command;
        if (command === undefined) return;
        await vscode.env.clipboard.writeText(command);
        vscode.window.setStatusBarMessage(`$(check) ${t("The command is in the clipboard.")}`, SAID_MS);
        return;
      }
      case "run": {
        const remedy = remedyOf(message.line);
        if (remedy !== undefined && (await runRemedy(report, board, remedy, found.simulated))) await again();
        return;
      }
      default:
        return;
    }
  };
  webview.onDidReceiveMessage((raw: unknown) => void report.guard(t("Checking the board"), () => received(raw)));
  panel.onDidChangeViewState(() => {
    // A hidden page is thrown away by VS Code and says "ready" again when it is back.
    if (!panel.visible) pageReady = false;
  });
  panel.onDidDispose(() => {
    pageReady = false;
  });
  webview.html = doctorHtml(preparePage(webview, context.extensionUri, "doctor"));
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
    ...(undo === undefined ? {} : { undo }),
    ...(simulated === undefined ? {} : { simulated }),
  });
}
