/** A run folder's model accounts. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { appended, orMissing } from "../../profile/files/fileReading.ts";
import { createAccountTable } from "../model/accountTable.ts";
import type { ModelAccount } from "../model/model.ts";

/**
 * What there is of them now, by process: the script's own process began first. Empty where none was recorded.
 * @throws UserError `schema-too-new`, `run-damaged`, `run-unreadable`
 */
export async function readAccounts(runFolder: string): Promise<ModelAccount[]> {
  const names = (await orMissing(fs.readdir(runFolder), runFolder)) ?? [];
  const pids = names.flatMap((name) => /^model\.(\d{1,10})\.jsonl$/.exec(name)?.[1] ?? []).map(Number);
  const accounts: ModelAccount[] = [];
  for (const pid of pids.sort((a, b) => a - b)) {
    const account = await readAccount(path.join(runFolder, `model.${pid}.jsonl`));
    if (account !== undefined) accounts.push(account);
  }
  return accounts;
}

async function readAccount(file: string): Promise<ModelAccount | undefined> {
  const table = createAccountTable(file);
  await appended(file, { restart: () => {}, line: (line) => table.add(line) }).read();
  return table.account();
}
