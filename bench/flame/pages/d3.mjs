// d3-flame-graph as its README uses it; where `window.tuned` says so, with what it offers to be faster.
let text;
let chart;
const rootRect = () => document.querySelector("#chart rect");

window.contestant = {
  async prepare(path) {
    text = await fetchText(path);
    await nextFrame();
  },
  show: () =>
    timed(
      () => {
        const data = JSON.parse(text);
        text = undefined;
        chart = flamegraph.default().width(innerWidth - 40);
        if (window.tuned) chart.minFrameSize(0.5).sort(false).inverted(true).transitionDuration(0);
        d3.select("#chart").datum(data).call(chart);
      },
      () => until(() => Number(rootRect()?.getAttribute("width")) > 0),
    ),
  /** A click zooms to a frame; its animation goes on for 750 ms. */
  async zoom() {
    chart.transitionDuration(750);
    const sum = { frames: 0, elapsed: 0, longest: 0 };
    const add = ({ frames: count, elapsed, longest }) => {
      sum.frames += count;
      sum.elapsed += elapsed;
      sum.longest = Math.max(sum.longest, longest);
    };
    const { left, width } = document.querySelector("#chart svg").getBoundingClientRect();
    const zoomTo = (node) =>
      frames((elapsed, count) => {
        if (count === 0) node.dispatchEvent(new MouseEvent("click", { bubbles: true }));
        return elapsed < 750;
      });
    const boxes = [...document.querySelectorAll("#chart g.frame")].map((node) => ({
      node,
      depth: d3.select(node).datum().depth,
      box: node.querySelector("rect").getBoundingClientRect(),
    }));
    for (const place of PLACES) {
      const x = left + place * width;
      const under = boxes.find(({ depth, box }) => depth === 3 && box.left <= x && x < box.right);
      if (!under) continue;
      add(await zoomTo(under.node));
      add(await zoomTo(document.querySelector("#chart g.frame")));
      if (sum.elapsed > ENOUGH_MS) break;
    }
    return sum;
  },
  search: (term) =>
    timed(
      () => chart.search(term),
      () => nextFrame(),
    ),
  area: () => document.querySelector("#chart svg").getBoundingClientRect().toJSON(),
};
