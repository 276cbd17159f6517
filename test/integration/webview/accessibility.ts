/**
 * What keeps a page from being used with a keyboard or a screen reader, as a list of faults. Contrast is in checks.ts.
 * The structure is asked of the document; names and roles of Chromium's own accessibility tree, which is what a screen
 * reader is given.
 */
import type { CDPSession, Page } from "playwright-core";

/** A node of that tree, as far as it is used here. */
interface HeardNode {
  readonly role: string;
  readonly name: string;
  readonly description: string;
  readonly value: string;
  readonly focusable: boolean;
}

interface RawNode {
  readonly ignored: boolean;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly description?: { readonly value: string };
  readonly value?: { readonly value: unknown };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value?: unknown } }[];
}

/** All that a screen reader meets, in its order. */
async function heardNodes(page: Page): Promise<readonly HeardNode[]> {
  return asking(page, async (session) => heardOf(await session.send("Accessibility.getFullAXTree")));
}

/** What has the focus; undefined where it is the page itself. */
export async function heardFocus(page: Page): Promise<HeardNode | undefined> {
  return asking(page, async (session) => {
    const expression = "document.activeElement === document.body ? null : document.activeElement";
    const { objectId } = (await session.send("Runtime.evaluate", { expression })).result;
    if (objectId === undefined) return undefined;
    return heardOf(await session.send("Accessibility.getPartialAXTree", { objectId, fetchRelatives: false }))[0];
  });
}

async function asking<Answer>(page: Page, body: (session: CDPSession) => Promise<Answer>): Promise<Answer> {
  const session = await page.context().newCDPSession(page);
  try {
    return await body(session);
  } finally {
    await session.detach();
  }
}

const heardOf = (answer: unknown): readonly HeardNode[] =>
  (answer as { readonly nodes: readonly RawNode[] }).nodes.filter(({ ignored }) => !ignored).map(heard);

function heard({ role, name, description, value, properties = [] }: RawNode): HeardNode {
  return {
    role: role?.value ?? "",
    name: name?.value ?? "",
    description: description?.value ?? "",
    value: String(value?.value ?? ""),
    focusable: properties.some((each) => each.name === "focusable" && each.value.value === true),
  };
}

/** Roles that are read by what is in them; nothing else of them can be reached by Tab. */
const READ_BY_CONTENT = new Set(["RootWebArea", "generic"]);
const PICTURES = new Set(["image", "img", "Canvas", "graphics-document", "SvgRoot"]);
const NAMED = new Set([
  "table",
  "grid",
  "treegrid",
  "tree",
  "tablist",
  "toolbar",
  "radiogroup",
  "slider",
  "application",
]);
const LANDMARKS = new Set(["main", "navigation", "region", "complementary", "form", "search"]);

function faultsOfHeard(nodes: readonly HeardNode[]): string[] {
  const faults: string[] = [];
  const landmarks = new Set<string>();
  for (const { role, name, focusable } of nodes) {
    if (focusable && name.trim() === "" && !READ_BY_CONTENT.has(role))
      faults.push(`a ${role} without a name can have the focus`);
    if (PICTURES.has(role) && name.trim() === "") faults.push(`a ${role} that is not hidden has no name`);
    if (NAMED.has(role) && name.trim() === "") faults.push(`a ${role} without a name`);
    if (!LANDMARKS.has(role)) continue;
    if (landmarks.has(`${role} ${name}`)) faults.push(`two landmarks are ${role} “${name}”`);
    landmarks.add(`${role} ${name}`);
  }
  return [...new Set(faults)];
}

/** The rules of the document. Each gives its faults by `fault(element, what)`. */
const STRUCTURE = `(() => {
  const faults = [];
  const fault = (element, what) => faults.push((element ? element.outerHTML.slice(0, 90) + ": " : "") + what);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  const heard = (element) => seen(element) && !element.closest("[aria-hidden=true]");
  const heardAll = (selector) => all(selector).filter(heard);
  const words = (text) => text.replace(/\\s+/g, " ").replace(/…$/, "").trim().toLowerCase();
  const FOCUSABLE = "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex]";
  const tabbable = (element) => seen(element) && element.tabIndex >= 0;

  // The page as a whole
  if (!document.documentElement.lang) fault(null, "the page names no language");
  if (!document.title.trim()) fault(null, "the page has no title");
  if (heardAll("main, [role=main]").length > 1) fault(null, "two main landmarks");
  if (all("main, [role=main]").length === 0) fault(null, "no main landmark");
  const LANDMARKS = "header, main, nav, aside, footer, [role=main], [role=status], [role=alert], [role=tooltip], section";
  for (const element of heardAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    if (own && !element.matches("script, style") && !element.closest(LANDMARKS)) fault(element, "text outside of all landmarks");
  }

  // Headings
  let level = 0;
  for (const heading of heardAll("h1, h2, h3, h4, h5, h6, [role=heading]")) {
    const next = Number(heading.getAttribute("aria-level") ?? heading.tagName[1]);
    if (next > level + 1) fault(heading, "a heading of level " + next + " after one of level " + level);
    if (!heading.textContent.trim()) fault(heading, "an empty heading");
    level = next;
  }
  if (heardAll("h1").length !== 1) fault(null, heardAll("h1").length + " main headings");

  // Ids and what refers to them
  const ids = all("[id]").map(({ id }) => id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) fault(null, "#" + id + " twice");
  const REFERENCES = ["aria-controls", "aria-labelledby", "aria-describedby", "aria-activedescendant", "aria-owns",
    "aria-details", "aria-errormessage", "for", "headers"];
  for (const name of REFERENCES)
    for (const element of all("[" + name + "]"))
      for (const id of element.getAttribute(name).split(" "))
        if (!document.getElementById(id)) fault(element, name + " leads to no #" + id);

  // The keyboard
  for (const element of all("[tabindex]")) if (element.tabIndex > 0) fault(element, "a place of its own in the Tab order");
  for (const element of all(FOCUSABLE))
    if (tabbable(element) && element.closest("[aria-hidden=true]")) fault(element, "can have the focus but is hidden");
  for (const element of all("button *, summary *, a[href] *, [role=treeitem] > .line *"))
    if (element.matches(FOCUSABLE) && tabbable(element)) fault(element, "a control inside of a control");
  for (const composite of all("[role=tree], [role=treegrid], [role=grid], [role=tablist], [role=toolbar], [role=listbox]")) {
    if (!heard(composite)) continue;
    const stops = [composite, ...composite.querySelectorAll("[tabindex], button:enabled")].filter(tabbable);
    if (stops.length !== 1) fault(composite, stops.length + " Tab stops instead of one");
  }
  for (const element of all("body *")) {
    const { overflowX, overflowY } = getComputedStyle(element);
    const scrolls =
      (/auto|scroll/.test(overflowY) && element.scrollHeight > element.clientHeight + 1) ||
      (/auto|scroll/.test(overflowX) && element.scrollWidth > element.clientWidth + 1);
    // Composites bring what the arrow keys lead to into view themselves.
    if (!scrolls || !heard(element) || tabbable(element) || element.closest("[role=treegrid], [role=grid]")) continue;
    if (![...element.querySelectorAll(FOCUSABLE)].some(tabbable)) fault(element, "scrolls, but not by keys");
  }

  // Names
  const named = (element) =>
    element.getAttribute("aria-label")?.trim() || element.getAttribute("aria-labelledby") ||
    element.textContent.trim() || element.labels?.length > 0;
  const CONTROLS = "button, select, input, summary, [tabindex], [role=slider], [role=application], [role=tree]";
  for (const element of heardAll(CONTROLS)) if (!named(element)) fault(element, "has no name");
  for (const element of heardAll("button[aria-label], summary[aria-label], a[aria-label]"))
    if (!words(element.getAttribute("aria-label")).includes(words(element.innerText))) fault(element, "is not called what it shows");
  for (const element of all("div, span, p, i, b, em, strong, code, pre, dt, dd, time").filter((each) => each.hasAttribute("aria-label")))
    if (!element.hasAttribute("role")) fault(element, "has a name but no role that takes one");
  for (const picture of all("canvas, svg, img"))
    if (!picture.closest("[aria-hidden=true], [role=img][aria-label]")) fault(picture, "a picture that is neither named nor hidden");
  for (const radio of heardAll("input[type=radio]"))
    if (!radio.closest("fieldset:has(> legend), [role=radiogroup][aria-label], [role=radiogroup][aria-labelledby]"))
      fault(radio, "a choice without the name of what is chosen");

  // Roles, what must be around them and what they must say
  const PARENTS = {
    treeitem: "[role=tree], [role=group]", tab: "[role=tablist]", option: "[role=listbox], [role=group]",
    row: "[role=table], [role=grid], [role=treegrid], [role=rowgroup]",
    gridcell: "[role=row]", rowheader: "[role=row]", columnheader: "[role=row]",
  };
  for (const [role, parents] of Object.entries(PARENTS))
    for (const element of all("[role=" + role + "]"))
      if (!element.parentElement.matches(parents)) fault(element, "a " + role + " outside of its " + parents);
  const CHILDREN = { tree: "treeitem", treegrid: "row", grid: "row", tablist: "tab", listbox: "option" };
  for (const [role, child] of Object.entries(CHILDREN))
    for (const element of heardAll("[role=" + role + "]"))
      if (!element.querySelector("[role=" + child + "]")) fault(element, "a " + role + " without a " + child);
  const SAID = { tab: ["aria-selected"], treeitem: ["aria-selected", "aria-level"], switch: ["aria-checked"],
    slider: ["aria-valuenow", "aria-valuemin", "aria-valuemax", "aria-valuetext"], combobox: ["aria-expanded"] };
  for (const [role, attributes] of Object.entries(SAID))
    for (const element of heardAll("[role=" + role + "]:not(.more)"))
      for (const name of attributes) if (!element.getAttribute(name)) fault(element, "does not say " + name);
  for (const slider of heardAll("[role=slider]")) {
    const [low, now, high] = ["min", "now", "max"].map((name) => Number(slider.getAttribute("aria-value" + name)));
    if (!(low <= now && now <= high)) fault(slider, "is at " + now + ", not from " + low + " to " + high);
  }
  for (const list of all("ul, ol").filter((each) => !each.hasAttribute("role")))
    for (const child of list.children) if (!child.matches("li, script, template")) fault(child, "in a list, but no item");
  for (const item of all("li:not([role])")) if (!item.parentElement.matches("ul, ol, menu")) fault(item, "an item in no list");
  for (const pair of all("dt, dd")) if (!pair.closest("dl")) fault(pair, "a pair in no list");

  // Tables
  for (const table of heardAll("table:not([role])")) {
    if (!table.caption?.textContent.trim() && !table.getAttribute("aria-label")) fault(table, "a table without a caption");
    if (!table.querySelector("th")) fault(table, "a table without headings");
    for (const head of table.querySelectorAll("th"))
      if (!head.hasAttribute("scope") && !head.closest("[aria-hidden=true]")) fault(head, "a heading that does not say of what");
    const sorted = [...table.querySelectorAll("th[scope=col]:has(button)")];
    if (sorted.some((head) => !head.hasAttribute("aria-sort"))) fault(table, "does not say by what it is sorted");
  }
  return faults;
})()`;

/** What is wrong with the page as it stands. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  const structure = await page.evaluate<string[]>(STRUCTURE);
  return [...new Set([...structure, ...faultsOfHeard(await heardNodes(page))])];
}
