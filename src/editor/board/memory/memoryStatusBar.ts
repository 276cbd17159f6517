/** The status bar's item of a board's memory: of the run or the watch that began last. */
import * as vscode from "vscode";
import { createMomentTable, type MomentTable } from "../../../board/moments/momentTable.ts";
import type { ToMemoryPage } from "../../../protocol/board/memory.ts";
import { t } from "../../../words/t.ts";
import { plainText } from "../../report/plainText.ts";
import type { MemoryFeed } from "./memoryFeed.ts";
import { type MemoryStatus, memoryStatus } from "./memoryStatus.ts";

export interface MemoryStatusBar extends vscode.Disposable {
  /** Shows the feed's figures until disposed; `open` is what a click does. */
  follow(feed: MemoryFeed, open: vscode.Command): vscode.Disposable;
}

interface Followed {
  readonly open: vscode.Command;
  /** Of the run or the board. */
  title: string;
  simulated: string | undefined;
  status: MemoryStatus | undefined;
  /** Why no figures come. */
  pause: string | undefined;
}

const MOST_TEXT = 200;

export function createMemoryStatusBar(log: vscode.LogOutputChannel): MemoryStatusBar {
  const item = vscode.window.createStatusBarItem("jetsonMemprof.memory", vscode.StatusBarAlignment.Left, 9);
  item.name = t("Jetson Board Memory");
  const followed: Followed[] = [];

  const show = (): void => {
    const last = followed.at(-1);
    if (last === undefined || (last.status === undefined && last.pause === undefined)) {
      item.hide();
      return;
    }
    const used = last.status?.text ?? "RAM ?";
    const text = last.simulated === undefined ? used : t("{0} (simulated)", used);
    const level = last.pause === undefined ? (last.status?.level ?? "ample") : "ample";
    item.text = `$(${last.pause === undefined ? "server" : "warning"}) ${text}`;
    item.backgroundColor = BACKGROUNDS[level];
    item.tooltip = tooltip(last);
    item.command = last.open;
    item.accessibilityInformation = {
      label: t("{0}. {1} Choose it to see the ledger.", text, last.pause ?? levelWords(level)),
    };
    item.show();
  };

  return {
    follow(feed, open) {
      const entry: Followed = { open, title: "", simulated: undefined, status: undefined, pause: undefined };
      let table = createMomentTable("moments.jsonl");
      followed.push(entry);
      const take = (message: ToMemoryPage): void => {
        switch (message.kind) {
          case "start":
            entry.title = message.title;
            entry.simulated = message.simulated;
            table = createMomentTable("moments.jsonl");
            break;
          case "records":
            for (const line of message.lines) table.add(line);
            entry.status = newest(table) ?? entry.status;
            entry.pause = undefined;
            break;
          case "waiting":
          case "unavailable":
            entry.pause = message.message;
            break;
          case "ended":
            entry.pause = message.message ?? t("No more figures will come.");
            break;
        }
        show();
      };
      const listening = feed.listen((message) => {
        try {
          take(message);
        } catch (error) {
          // Such as records of a newer version: the page says it in words.
          log.warn(`The board's memory cannot be shown in the status bar: ${error}`);
        }
      });
      return new vscode.Disposable(() => {
        listening.dispose();
        followed.splice(followed.indexOf(entry), 1);
        show();
      });
    },
    dispose: () => item.dispose(),
  };
}

const BACKGROUNDS: Readonly<Record<MemoryStatus["level"], vscode.ThemeColor | undefined>> = {
  ample: undefined,
  scarce: new vscode.ThemeColor("statusBarItem.warningBackground"),
  critical: new vscode.ThemeColor("statusBarItem.errorBackground"),
};

function levelWords(level: MemoryStatus["level"]): string {
  switch (level) {
    case "ample":
      return t("Enough memory is available.");
    case "scarce":
      return t("Little memory is available.");
    case "critical":
      return t("Very little memory is available; the kernel may soon end a process.");
  }
}

function newest(table: MomentTable): MemoryStatus | undefined {
  if (table.size === 0) return undefined;
  const { baseline } = table;
  return memoryStatus(table.moment(table.size - 1), baseline === undefined ? undefined : table.moment(baseline));
}

/** What a board says of itself is text there, never Markdown. */
function tooltip({ title, simulated, status, pause }: Followed): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendText(plainText(title, MOST_TEXT));
  if (simulated !== undefined) text.appendText(`\n${t("Simulated: {0}", plainText(simulated, MOST_TEXT))}`);
  if (pause !== undefined) text.appendText(`\n${plainText(pause, MOST_TEXT)}`);
  if (status === undefined) return text;
  if (pause === undefined && status.level !== "ample") text.appendText(`\n${levelWords(status.level)}`);
  text.appendMarkdown(`\n\n| | |\n|:--|--:|\n`);
  for (const [label, figure] of status.rows) text.appendMarkdown(`| ${label} | ${figure} |\n`);
  text.appendMarkdown(
    `\n${t("Used is what is not available, by the board's /proc/meminfo. Choose it to see the ledger.")}`,
  );
  return text;
}
