/** What programs hold: AnonPages and the page cache, each divided among the run and the others. */
import { say, sentences, t } from "../../words/t.ts";
import type { ProcessMemory } from "../moments/model.ts";
import { countOf, type Facts } from "./facts.ts";
import type { LedgerRow } from "./model.ts";
import { partsByName } from "./parts.ts";
import { KIND_LABELS, type ProcessKind, processKind } from "./processKinds.ts";
import { createPurse, type Note, type Purse, shareOut, wholeBytes } from "./purse.ts";
import { type Claim, type RunShare, runShare } from "./runShare.ts";
import { saidBy } from "./serverSays.ts";

const unreadableRun = (): Claim => ({
  bytes: undefined,
  firm: 0,
  sureness: "unknown",
  how: t("The run's processes could not be read at this moment; what they hold is among the other programs."),
});
const unreadable = (): RunShare => ({ anon: unreadableRun(), file: unreadableRun(), shmem: unreadableRun() });

const SAID_HOW = () =>
  t(
    "What a server says itself of weights, KV cache and buffers is not added up: it may be GPU memory or pages of files, which are in other rows.",
  );

/** Rows for AnonPages and for Cached + Buffers; takes both out of `purse`. */
export function programRows(facts: Facts, purse: Purse, note: Note): LedgerRow[] {
  const share = facts.run.length > 0 ? runShare(facts.run, anonGrown(facts)) : unreadable();
  return [...anonymousRows(facts, share.anon, purse, note), ...cacheRows(facts, share, purse, note)];
}

function anonymousRows(facts: Facts, run: Claim, purse: Purse, note: Note): LedgerRow[] {
  const all = createPurse(purse.take(t("Anonymous memory (AnonPages)"), facts.count("AnonPages") ?? 0), note);
  const rows: LedgerRow[] = [];
  const claims = facts.others.map(othersAnon);
  if (facts.moment.run.length > 0) {
    // Forked processes may be counted with pages they share: what others claim is not the run's then.
    const others = claims.reduce((sum, bytes) => sum + bytes, 0);
    const bytes = run.bytes === undefined ? undefined : Math.min(run.bytes, Math.max(run.firm, all.left - others));
    rows.push(runRow("run.anon", t("Heap and other anonymous memory"), run, take(all, t("The run's heap"), bytes)));
  }
  const given = shareOut(all.left, claims);
  const kinds = new Map<ProcessKind, { readonly name: string; readonly bytes: number }[]>();
  for (const [index, { name }] of facts.others.entries()) {
    const kind = processKind(name);
    const bytes = all.take(name, given[index] ?? 0);
    const ofKind = kinds.get(kind);
    if (ofKind === undefined) kinds.set(kind, [{ name, bytes }]);
    else ofKind.push({ name, bytes });
  }
  for (const kind of Object.keys(KIND_LABELS) as ProcessKind[]) {
    const parts = partsByName(kinds.get(kind) ?? []);
    if (parts.length === 0) continue;
    const own = t(
      "The programs' own memory, such as their heap (RssAnon of each process). What forked processes share is counted in each of them.",
    );
    const said = kind === "servers" ? saidBy(facts.others, facts.moment.servers) : [];
    const how = said.length === 0 ? own : sentences(own, SAID_HOW());
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    rows.push({
      id: `others.${kind}`,
      group: "others",
      label: say(KIND_LABELS[kind]),
      bytes,
      sureness: "estimated",
      how,
      parts,
      ...(said.length === 0 ? {} : { said }),
    });
  }
  if (all.left > 0) {
    rows.push({
      id: "others.unreadable",
      group: "others",
      label: t("Anonymous memory of no listed process"),
      bytes: all.takeRest(),
      sureness: "inferred",
      how: t(
        "All programs' own memory (AnonPages) less what the listed processes hold: of those that began or grew since they were read, or are hidden from this user.",
      ),
    });
  }
  return rows;
}

/** Of the other programs' RssAnon only the change is used, in which pages that it counts twice cancel out. */
function anonGrown({ baseline, others, count }: Facts): number | undefined {
  const now = count("AnonPages");
  const before = baseline && countOf(baseline, "AnonPages");
  if (baseline === undefined || now === undefined || before === undefined) return undefined;
  const inAll = (processes: readonly ProcessMemory[]) =>
    processes.reduce((sum, { anon, rss }) => sum + wholeBytes(anon ?? rss), 0);
  return now - before - (inAll(others) - inAll(baseline.processes));
}

function othersAnon({ anon, rss, pss, uss }: ProcessMemory): number {
  // Without RssAnon (kernels before 4.5) the private part is nearer to it than the sum with all libraries.
  const most = wholeBytes(anon ?? uss ?? rss);
  return pss === undefined ? most : Math.min(most, wholeBytes(pss));
}

function cacheRows(facts: Facts, share: RunShare, purse: Purse, note: Note): LedgerRow[] {
  const cached = (facts.count("Cached") ?? 0) + (facts.count("Buffers") ?? 0);
  const all = createPurse(purse.take(t("Page cache (Cached + Buffers)"), cached), note);
  const shared = createPurse(all.take(t("Shared memory (Shmem)"), facts.count("Shmem") ?? 0), note);
  const mapped = createPurse(facts.count("Mapped") ?? 0, note);
  const on = facts.moment.run.length > 0;
  const rows: LedgerRow[] = [];

  const runShared = take(shared, t("The run's shared memory"), on ? share.shmem.bytes : undefined);
  mapped.take(t("The run's shared memory"), runShared ?? 0);
  const runFiles = take(mapped, t("The run's file pages"), on ? share.file.bytes : undefined);
  const files = all.take(t("The run's file pages"), runFiles ?? 0);
  if (on) {
    rows.push(
      runRow(
        "run.files",
        t("Python and libraries (file pages)"),
        share.file,
        runFiles === undefined ? undefined : files,
      ),
    );
    rows.push(runRow("run.shmem", t("Shared memory"), share.shmem, runShared));
  }

  const othersShared = facts.others.reduce((sum, { shmem }) => sum + wholeBytes(shmem), 0);
  // Programs share these pages, so their sum is no count: only a limit, which is no fault where it is too high.
  const sharedAndMapped = Math.min(othersShared, shared.left, mapped.left);
  const othersFiles = Math.min(mapped.left - sharedAndMapped, all.left);
  all.take(t("Files of other programs"), othersFiles);
  if (othersFiles > 0) {
    rows.push({
      id: "others.files",
      group: "others",
      label: t("Libraries and files of other programs"),
      bytes: othersFiles,
      sureness: "estimated",
      how: t(
        "All mapped pages (Mapped) less the run's file pages and less the shared memory that programs have mapped. Too small where several of them map the same shared memory.",
      ),
    });
  }
  if (shared.left > 0) {
    rows.push({
      id: "others.shmem",
      group: "others",
      label: t("Shared memory and tmpfs outside the run"),
      bytes: shared.takeRest(),
      sureness: share.shmem.sureness === "exact" || !on ? "exact" : "estimated",
      how: t(
        "All shared memory (Shmem) less what the run has mapped: files below /dev/shm and other tmpfs, the desktop's pictures. It cannot be given back, only swapped.",
      ),
    });
  }
  rows.push({
    id: "cache.unmapped",
    group: "cache",
    label: t("Page cache that no program has mapped"),
    bytes: all.takeRest(),
    sureness: "estimated",
    how: t(
      "Files that were read or written and are kept (Cached + Buffers) less shared memory and less mapped files. The kernel gives it back as soon as programs need memory.",
    ),
  });
  return rows;
}

function take(purse: Purse, what: string, bytes: number | undefined): number | undefined {
  return bytes === undefined ? undefined : purse.take(what, bytes);
}

function runRow(id: string, label: string, { sureness, how }: Claim, bytes: number | undefined): LedgerRow {
  return bytes === undefined
    ? { id, group: "run", label, sureness: "unknown", how }
    : { id, group: "run", label, bytes, sureness, how };
}
