/**
 * A table with controls in its rows is one stop of the Tab key: the arrow keys move between the controls. It stays a
 * table, which screen readers read cell by cell with keys of their own.
 */

const CONTROLS = 'button:enabled, [role="button"]';

/** Call it once: it is for all tables that the page ever has. */
export function walkTables(): void {
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (!(target instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return;
    const table = target.closest("table");
    if (table === null || !target.matches(CONTROLS)) return;
    if (key === "Tab") {
      // What is left is where one comes back to.
      for (const control of table.querySelectorAll<HTMLElement>(CONTROLS))
        control.tabIndex = control === target ? 0 : -1;
      return;
    }
    const next = controlByKey(key, target, table);
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  });
}

function controlsOf(row: HTMLTableRowElement | undefined): HTMLElement[] {
  if (row === undefined) return [];
  return [...row.querySelectorAll<HTMLElement>(CONTROLS)].filter((control) => control.checkVisibility());
}

/** Undefined for other keys, and where there is nothing further. */
function controlByKey(key: string, from: HTMLElement, table: HTMLTableElement): HTMLElement | undefined {
  const rows = [...table.rows];
  const row = rows.findIndex((each) => each.contains(from));
  const beside = controlsOf(rows[row]);
  const place = beside.indexOf(from);
  const firstIn = (among: readonly HTMLTableRowElement[]): HTMLElement | undefined => {
    for (const each of among) {
      const controls = controlsOf(each);
      if (controls.length > 0) return controls[Math.min(place, controls.length - 1)];
    }
    return undefined;
  };
  switch (key) {
    case "ArrowLeft":
      return beside[place - 1];
    case "ArrowRight":
      return beside[place + 1];
    case "ArrowDown":
      return firstIn(rows.slice(row + 1));
    case "ArrowUp":
      return firstIn(rows.slice(0, row).reverse());
    case "Home":
      return firstIn(rows);
    case "End":
      return firstIn(rows.slice(row).reverse());
    default:
      return undefined;
  }
}
