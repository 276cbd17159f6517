/** What a run can be exported as; docs/export.md says what each holds. */
import { type Phrase, phrase, verbatim } from "../../words/t.ts";
export const EXPORT_FORMATS = [
  "html",
  "markdown",
  "csv",
  "json",
  "pprof",
  "speedscope",
  "heapprofile",
  "memory_profiler",
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportFormatFacts {
  readonly name: Phrase;
  /** Of the file's name, with its point. */
  readonly ending: string;
  /** What it is good for, one line. */
  readonly purpose: Phrase;
}

export const EXPORT_FORMAT_FACTS: Readonly<Record<ExportFormat, ExportFormatFacts>> = {
  html: {
    name: phrase("HTML report"),
    ending: ".html",
    purpose: phrase("One file for any browser, without a network: to read, to print and to send"),
  },
  markdown: {
    name: verbatim("Markdown"),
    ending: ".md",
    purpose: phrase("Tables for a pull request, an issue or a README"),
  },
  csv: {
    name: verbatim("CSV"),
    ending: ".csv",
    purpose: phrase("A row for each measured line, for spreadsheets and pandas"),
  },
  json: {
    name: verbatim("JSON"),
    ending: ".json",
    purpose: phrase("Everything by line, for programs and to import again; it has a published schema"),
  },
  pprof: {
    name: verbatim("pprof"),
    ending: ".pb.gz",
    purpose: phrase("For go tool pprof and what reads its profiles"),
  },
  speedscope: {
    name: verbatim("Speedscope"),
    ending: ".speedscope.json",
    purpose: phrase("A flame graph at www.speedscope.app"),
  },
  heapprofile: {
    name: phrase("V8 heap profile"),
    ending: ".heapprofile",
    purpose: phrase("For VS Code's own profile viewer and Chrome's developer tools"),
  },
  memory_profiler: {
    name: phrase("memory_profiler text"),
    ending: ".txt",
    purpose: phrase("The table that the Python package memory_profiler prints"),
  },
};
