/** What the page of Check Board and the editor say to each other; both check what they receive. */
import * as v from "valibot";
import type { DoctorReport } from "../../board/doctor/model.ts";
import { readMessage } from "../readMessage.ts";

export type ToDoctorPage =
  /** `checkedAt` is an ISO time. */
  | { readonly kind: "report"; readonly target: string; readonly checkedAt: string; readonly report: DoctorReport }
  | { readonly kind: "checking"; readonly target: string }
  | { readonly kind: "unavailable"; readonly message: string };

const lineId = v.pipe(v.string(), v.maxLength(100));

const report: v.GenericSchema<unknown, DoctorReport> = v.object({
  title: v.string(),
  simulated: v.exactOptional(v.string()),
  lines: v.array(
    v.object({
      id: lineId,
      topic: v.picklist(["board", "memory", "python", "tools", "access"]),
      title: v.string(),
      status: v.picklist(["ok", "missing", "limited", "unknown"]),
      found: v.string(),
      goodFor: v.string(),
      remedy: v.exactOptional(
        v.object({
          text: v.string(),
          command: v.exactOptional(v.string()),
          asRoot: v.exactOptional(v.boolean()),
          undo: v.exactOptional(v.string()),
        }),
      ),
    }),
  ),
});

const toPage: v.GenericSchema<unknown, ToDoctorPage> = v.variant("kind", [
  v.object({
    kind: v.literal("report"),
    target: v.string(),
    checkedAt: v.pipe(v.string(), v.isoTimestamp()),
    report,
  }),
  v.object({ kind: v.literal("checking"), target: v.string() }),
  v.object({ kind: v.literal("unavailable"), message: v.string() }),
]);

const toEditor = v.variant("kind", [
  v.object({ kind: v.literal("ready") }),
  v.object({ kind: v.literal("again") }),
  /** Run the remedy's command of this line: the editor shows it and asks first. */
  v.object({ kind: v.literal("run"), line: lineId }),
  v.object({ kind: v.literal("copy"), line: lineId }),
]);

export type DoctorPageToEditor = v.InferOutput<typeof toEditor>;
export const readToDoctorPage = (value: unknown): ToDoctorPage | undefined => readMessage(toPage, value);
export const readDoctorPageToEditor = (value: unknown): DoctorPageToEditor | undefined => readMessage(toEditor, value);
