/**
 * Ctrl+F where names are painted: VS Code's own search sees the text of a page only, so the key leads to the page's
 * field. From there it leads on to VS Code's.
 */
export function leadToSearch(field: HTMLInputElement): void {
  document.addEventListener("keydown", (event) => {
    const isFind = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.code === "KeyF";
    if (!isFind || document.activeElement === field || !field.checkVisibility()) return;
    event.preventDefault();
    // Else VS Code, which listens at the window, opens its own as well.
    event.stopPropagation();
    field.select();
  });
}
