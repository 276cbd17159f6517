import { expect, it } from "vitest";
import type { DoctorLine } from "../../../board/doctor/model.ts";
import { findingsText } from "./doctorFindings.ts";

const line = (title: string, status: DoctorLine["status"], remedy?: string): DoctorLine => ({
  id: title,
  topic: "memory",
  title,
  status,
  found: "",
  goodFor: "",
  ...(remedy === undefined ? {} : { remedy: { text: remedy } }),
});

it("only what is missing or limited and can be helped is counted", () => {
  const lines = [
    line("RAM", "ok"),
    line("Desktop", "limited", "Stop it."),
    line("NvMap", "unknown", "Ask root."),
    line("CUDA", "missing"),
  ];
  expect(findingsText("nano", { title: "", lines })).toBe("nano: 1 thing could be better (Desktop).");
  expect(findingsText("nano", { title: "", lines: lines.slice(2) })).toBeUndefined();
});

it("names three at most", () => {
  const lines = ["a", "b", "c", "d"].map((title) => line(title, "missing", "Install it."));
  expect(findingsText("nano", { title: "", lines })).toBe("nano: 4 things could be better (a, b, c, …).");
  expect(findingsText("nano", { title: "", lines: lines.slice(1) })).toBe("nano: 3 things could be better (b, c, d).");
});
