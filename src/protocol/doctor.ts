/** What the page of Check Board and the editor say to each other; both check what they receive. */
import * as v from "valibot";
import type { DoctorReport } from "../board/doctor/model.ts";
import { readMessage } from "./readMessage.ts";

export type ToDoctorPage =
  | { readonly kind: "report"; readonly target: string; readonly checkedAt: string; readonly report: DoctorReport }
  | { readonly kind: "checking"; readonly target: string }
  | { readonly kind: "unavailable"; readonly message: string };

const lineId = v.pipe(v.string(), v.maxLength(100));

const toEditor = v.variant("kind", [
  v.object({ kind: v.literal("ready") }),
  v.object({ kind: v.literal("again") }),
  /** Run the remedy's command of this line: the editor shows it and asks first. */
  v.object({ kind: v.literal("run"), line: lineId }),
  v.object({ kind: v.literal("copy"), line: lineId }),
]);

export type DoctorPageToEditor = v.InferOutput<typeof toEditor>;
export const readDoctorPageToEditor = (value: unknown): DoctorPageToEditor | undefined => readMessage(toEditor, value);
