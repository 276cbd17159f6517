/** What commands are called, in the language of the window. */

/**
 * The title in the manifest as VS Code has read it. Where it was translated it is an object, so that the palette finds
 * the English one too.
 *
 * @param manifest `packageJSON` of the extension
 */
export function commandTitle(manifest: unknown, id: string): string {
  const title = listIn(manifest, "contributes", "commands").find((each) => field(each, "command") === id);
  const said = field(title, "title");
  const text = typeof said === "string" ? said : field(said, "value");
  // Three dots say that something is asked for first.
  return typeof text === "string" && text !== "" ? text.replace(/…$/, "") : id;
}

function listIn(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = path.reduce(field, value);
  return Array.isArray(found) ? found : [];
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
