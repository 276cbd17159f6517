/** A file name for an export, made of what the page suggests: one name, no folders, no signs that a system refuses. */
export function exportName(suggested: string): string {
  const name = suggested
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced here
    .replace(/[\u0000-\u001f\u007f<>:"/\\|?*]+/g, "-")
    .replace(/^[.\s-]+|[.\s]+$/g, "")
    // What begins like massif's own files would be opened as one of them.
    .replace(/massif\.out/g, "massif");
  return name === "" ? "flame-graph" : name;
}
