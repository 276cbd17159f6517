/** Who takes part, and in which form each takes the tree. */
import { documentMessage, nested, sampled } from "./tree.mjs";

export const OURS = "massif page";
export const D3 = "d3-flame-graph";
export const D3_TUNED = "d3-flame-graph, thin frames left out";
export const SPEEDSCOPE = "speedscope";

/**
 * @param versions of the peers' packages, by name
 * @param absent why a package is missing, by name
 */
export function contestants({ versions, absent, ownVersion }) {
  const all = [
    {
      name: OURS,
      version: ownVersion,
      page: "ours",
      data: ({ wire, shown }) => JSON.stringify({ document: documentMessage(shown.frame.length), tree: wire }),
      command: "the page in a webview, the tree by message as the language server sends it",
      notes:
        "From massif's own tree, allocators first, which the page turns round and names; the others get the tree as it is shown.",
    },
    {
      name: SPEEDSCOPE,
      needs: ["speedscope"],
      page: "speedscope",
      data: sampled,
      command: "its page, a file of its own format (sampled, the fastest it reads) dropped on it",
      notes: "It draws with WebGL, here in software (SwiftShader): a graphics processor would make its frames faster.",
    },
    {
      name: D3,
      needs: ["d3-flame-graph", "d3"],
      page: "d3",
      data: nested,
      command: 'd3.select("#chart").datum(data).call(flamegraph.default().width(1240))',
      notes: "The first picture is the first frame in which the root has a width: its animation goes on for 250 ms.",
    },
    {
      name: D3_TUNED,
      needs: ["d3-flame-graph", "d3"],
      page: "d3",
      tuned: true,
      data: nested,
      command: ".minFrameSize(0.5).sort(false).inverted(true).transitionDuration(0); zoomed with its usual 750 ms",
      notes: "What its settings offer to be faster: frames below half a pixel are not drawn.",
    },
  ];
  const missing = ({ needs = [] }) => needs.find((name) => versions[name] === undefined);
  return {
    taking: all
      .filter((each) => missing(each) === undefined)
      .map((each) => ({ ...each, version: each.version ?? versions[each.needs[0]] })),
    absent: all
      .filter((each) => missing(each) !== undefined)
      .map((each) => ({ name: each.name, why: absent[missing(each)] ?? `${missing(each)} is not installed` })),
  };
}
