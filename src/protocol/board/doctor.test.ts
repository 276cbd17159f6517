import { expect, it } from "vitest";
import { readDoctorPageToEditor, readToDoctorPage } from "./doctor.ts";

const message = {
  kind: "report",
  target: "nano",
  checkedAt: "2026-03-04T10:11:12.000Z",
  report: {
    title: "Jetson Nano",
    lines: [{ id: "ram", topic: "memory", title: "RAM", status: "ok", found: "3956.1 MiB", goodFor: "Everything." }],
  },
};

it("a report is read as it is, without what does not belong to it", () => {
  expect(readToDoctorPage({ ...message, surprise: 1 })).toEqual(message);
});

it.each([
  ["a status that does not exist", { ...message, report: { title: "", lines: [{ status: "great" }] } }],
  ["a time that is none", { ...message, checkedAt: "yesterday" }],
  ["no report", { kind: "report", target: "nano", checkedAt: message.checkedAt }],
  ["something else", "report"],
])("a message with %s is none", (_, value) => {
  expect(readToDoctorPage(value)).toBeUndefined();
});

it("a page names lines, never commands", () => {
  expect(readDoctorPageToEditor({ kind: "run", line: "desktop", command: "rm -rf /" })).toEqual({
    kind: "run",
    line: "desktop",
  });
  expect(readDoctorPageToEditor({ kind: "run", command: "rm -rf /" })).toBeUndefined();
  expect(readDoctorPageToEditor({ kind: "run", line: "x".repeat(101) })).toBeUndefined();
});
