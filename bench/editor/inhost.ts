/**
 * What VS Code's extension host runs beside the extension: it scrolls and hovers, and takes the time of what the
 * extension does for that. Both run in the same process, so the extension's timers can be timed.
 */
import * as fs from "node:fs";
import * as vscode from "vscode";

export interface Order {
  readonly script: string;
  /** The run folder whose figures are shown. */
  readonly run: string;
  readonly lines: number;
  readonly scrolls: number;
  readonly hovers: number;
  /** Is written at the end. */
  readonly results: string;
  /** Appears when the window was looked at, and this may end. */
  readonly seen: string;
}

export interface Results {
  /** ms that the extension worked for each scroll. */
  readonly scrolls: readonly number[];
  /** Between these moments (as of Date.now()) the window was scrolled: with figures, and without. */
  readonly shown: readonly [number, number];
  readonly bare: readonly [number, number];
  /** ms from each request to its content. */
  readonly hovers: readonly number[];
  /** Hovers without the line's figures. */
  readonly empty: number;
}

const EXTENSION = "jetson-memory-profiler.jetson-memory-profiler";
/** Longer than the extension waits for the end of a scroll. */
const BETWEEN_MS = 300;
const pause = (ms: number) => new Promise<void>((resolve) => untimed(resolve, ms));

let worked = 0;
const untimed = globalThis.setTimeout;
globalThis.setTimeout = Object.assign((body: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
  const from = vscode.extensions.getExtension(EXTENSION)?.extensionPath;
  const ours = from !== undefined && (new Error().stack?.includes(from) ?? false);
  if (!ours) return untimed(body, ms, ...given);
  return untimed(() => {
    const start = performance.now();
    body(...given);
    worked += performance.now() - start;
  }, ms);
}, untimed);

export async function run(): Promise<void> {
  const order = JSON.parse(process.env["BENCH_ORDER"] ?? "") as Order;
  await until(() => vscode.extensions.getExtension(EXTENSION)?.isActive === true);
  // Opened as anyone opens the folder: what the extension does then is over.
  await pause(1_000);
  await vscode.commands.executeCommand("workbench.action.showRuntimeExtensions");
  await pause(1_500);
  console.log("activated");
  await until(() => fs.existsSync(`${order.seen}.activated`));
  const document = await vscode.workspace.openTextDocument(order.script);
  const editor = await vscode.window.showTextDocument(document);
  await vscode.commands.executeCommand("jetsonMemprof.showRun", order.run);
  await until(async () => (await hover(document, order.lines - 1)).includes("MiB"));
  await pause(1_000);

  const places = Array.from({ length: order.scrolls }, (_, i) =>
    // Never where the window is already: at the first line.
    Math.floor(((((i * 7) % order.scrolls) + 0.5) / order.scrolls) * (order.lines - 100)),
  );
  const scrolls: number[] = [];
  const scroll = async (): Promise<[number, number]> => {
    const start = Date.now();
    for (const line of places) {
      worked = 0;
      editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.AtTop);
      await pause(BETWEEN_MS);
      scrolls.push(worked);
    }
    return [start, Date.now()];
  };
  const shown = await scroll();
  console.log("scrolled");
  await until(() => fs.existsSync(`${order.seen}.scrolled`));
  const withFigures = scrolls.slice();

  const hovers: number[] = [];
  let empty = 0;
  for (let i = 0; i < order.hovers; i++) {
    // Line 769 and its multiples took nothing.
    const line = Math.floor((((i * 13) % order.hovers) / order.hovers) * order.lines);
    const start = performance.now();
    const text = await hover(document, line);
    hovers.push(performance.now() - start);
    if (!text.includes("MiB")) empty++;
    await pause(20);
  }

  await vscode.commands.executeCommand("jetsonMemprof.hideFigures");
  await pause(1_000);
  const bare = await scroll();
  const results: Results = { scrolls: withFigures, shown, bare, hovers, empty };
  fs.writeFileSync(order.results, JSON.stringify(results));
}

async function hover(document: vscode.TextDocument, line: number): Promise<string> {
  const at = new vscode.Position(line, 2);
  const found = await vscode.commands.executeCommand<vscode.Hover[]>("vscode.executeHoverProvider", document.uri, at);
  return found
    .flatMap(({ contents }) => contents.map((part) => (typeof part === "string" ? part : part.value)))
    .join("\n");
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await holds()); await pause(50))
    if (Date.now() > end) throw new Error(`waited in vain for ${holds}`);
}
