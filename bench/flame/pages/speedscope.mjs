// Drops a file on speedscope's page, as a person does.
let file;
/** Name of a frame that is as wide as the graph: it is written in the frame that draws the graph. */
let root;

const drawn = () =>
  new Promise((resolve) => {
    const { prototype } = CanvasRenderingContext2D;
    const { fillText } = prototype;
    prototype.fillText = function (text, ...rest) {
      fillText.call(this, text, ...rest);
      if (text !== root) return;
      prototype.fillText = fillText;
      resolve();
    };
  });
/** The graph's; those before it are the window's own and the overview's. */
const canvas = () => [...document.querySelectorAll("canvas")].at(-1);
const shortcut = (key) =>
  window.dispatchEvent(new KeyboardEvent("keydown", { key, ctrlKey: true, bubbles: true, cancelable: true }));

window.contestant = {
  async prepare(path) {
    await until(() => document.body.innerText.includes("Browse"));
    file = new File([await fetchText(path)], "bench.speedscope.json", { type: "application/json" });
    root = "all";
    await nextFrame();
  },
  show: () =>
    timed(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(file);
      file = undefined;
      const target = document.body.querySelector("div div") ?? document.body;
      target.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }, drawn),
  zoom: () => wheelZoom(canvas(), 3),
  closer: () => wheelZoom(canvas(), 3, STEPS),
  async search(term) {
    shortcut("f");
    await until(() => document.querySelector("input") !== null);
    return timed(
      () => type(document.querySelector("input"), term),
      () => until(() => /\/\s*\d/.test(document.body.innerText)),
    );
  },
  area: () => canvas().getBoundingClientRect().toJSON(),
};
