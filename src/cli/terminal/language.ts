/** Which language the command speaks: the locale's, but English where a program reads. */

/** Commands whose output is for other programs. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set(["check", "completion", "export"]);
/** The same by an option, of whatever command. */
const OPTIONS_FOR_PROGRAMS: readonly string[] = ["--json", "--folded"];

/**
 * @param argv what was typed after the program's name
 * @returns as a locale names it: `zh_CN.UTF-8`
 */
export function languageTag(argv: readonly string[], env: NodeJS.ProcessEnv): string {
  const isForPrograms = FOR_PROGRAMS.has(argv[0] ?? "") || OPTIONS_FOR_PROGRAMS.some((option) => argv.includes(option));
  // As in POSIX: the first that is set and not empty.
  return isForPrograms ? "en" : env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"] || "en";
}
