// Each page's style imports webview/base/pages.css. Bundled, it would be in the package once for each page; so it is a
// file of its own, which the others import.
const SHARED = "webview/base/pages.css";

/** The entry point of that file. */
export const sharedStyle = { pages: SHARED };

/** @type {import("esbuild").Plugin} */
export const sharedStyleApart = {
  name: "shared-style-apart",
  setup(build) {
    build.onResolve({ filter: /\/pages\.css$/ }, ({ kind }) =>
      kind === "import-rule" ? { path: "./pages.css", external: true } : undefined,
    );
  },
};
