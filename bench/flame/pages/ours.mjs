// Drives the massif page as the editor does.
let answer;
const graph = () => document.getElementById("graph");
const canvas = () => document.getElementById("canvas");

window.contestant = {
  async prepare(path) {
    const { document: shown, tree } = JSON.parse(await fetchText(path));
    await new Promise((resolve) => {
      window.editor = (message) => {
        if (message.kind !== "tree") return;
        answer = { kind: "tree", request: message.request, tree };
        // Nothing but the answer holds the tree, as in the editor.
        window.editor = undefined;
        resolve();
      };
      window.postMessage(shown, "*");
    });
    await nextFrame();
  },
  show: () =>
    timed(
      () => {
        window.postMessage(answer, "*");
        answer = undefined;
      },
      () =>
        new Promise((resolve) => {
          new MutationObserver(() => graph().getAttribute("aria-busy") === "false" && resolve()).observe(graph(), {
            attributes: true,
          });
        }),
    ),
  zoom: () => wheelZoom(canvas(), 40),
  closer: () => wheelZoom(canvas(), 40, STEPS),
  search: (term) =>
    timed(
      () => type(document.getElementById("search"), term),
      () => until(() => /^\d[\d,]* found/.test(document.getElementById("matches").textContent)),
    ),
  area: () => canvas().getBoundingClientRect().toJSON(),
  hovered: () => !document.getElementById("tooltip").hidden,
};
