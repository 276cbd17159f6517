/** What registers the command; the rest is loaded on first need. */
import * as vscode from "vscode";
import type { Services } from "../services.ts";

/** @param selected all that is selected in the Explorer, where the command was called there */
export async function importCommand(services: Services, resource: unknown, selected: unknown): Promise<void> {
  const all = Array.isArray(selected) ? selected : [resource];
  const files = all.filter((one) => one instanceof vscode.Uri);
  await (await import("./importReports.ts")).importReports(services, files);
}
