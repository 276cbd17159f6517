/** Small helpers over the document. Texts are always set as text, never as markup. */

export function byId<Type extends Element>(id: string, type: new () => Type): Type {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`The page has no #${id}.`);
  return element;
}

/** A new element with its text and attributes. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  text = "",
  attributes: Readonly<Record<string, string>> = {},
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

export function button(text: string, onClick: () => void, attributes?: Readonly<Record<string, string>>): HTMLElement {
  const made = element("button", text, attributes);
  made.addEventListener("click", onClick);
  return made;
}
