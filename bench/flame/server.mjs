/** Serves the pages of all contestants, and their data, from the loopback address. */
import * as fs from "node:fs";
import * as http from "node:http";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { slimScales } from "../../scripts/slimLibraries.mjs";
import { workerText } from "../../scripts/workerText.mjs";

const absWorkingDir = fileURLToPath(new URL("../..", import.meta.url));
const pages = fileURLToPath(new URL("pages/", import.meta.url));
const TYPES = {
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".html": "text/html",
  ".json": "application/json",
};

/** The page of the product, as its build makes it and its editor opens it. */
async function massifPage() {
  const page = await esbuild.build({
    absWorkingDir,
    entryPoints: { massif: "webview/massif/main.ts" },
    outdir: "dist",
    bundle: true,
    minify: true,
    target: "es2022",
    write: false,
    plugins: [workerText(), slimScales],
  });
  const skeleton = await esbuild.build({
    absWorkingDir,
    entryPoints: ["src/editor/massif/massifHtml.ts"],
    bundle: true,
    format: "esm",
    write: false,
  });
  const { massifHtml } = await import(`data:text/javascript,${encodeURIComponent(skeleton.outputFiles[0].text)}`);
  const text = (ending) => page.outputFiles.find((file) => file.path.endsWith(ending)).text;
  const html = massifHtml({
    cspSource: "'self'",
    nonce: "bm9uY2U=",
    scriptUri: "massif.js",
    styleUri: "massif.css",
    source: "",
  });
  return { "/ours/": html, "/ours/massif.js": text(".js"), "/ours/massif.css": text(".css") };
}

const d3Page = `<!doctype html><html><head><link rel="stylesheet" href="/peers/d3-flame-graph/dist/d3-flamegraph.css"></head>
<body><div id="chart"></div><script src="/peers/d3/dist/d3.min.js"></script>
<script src="/peers/d3-flame-graph/dist/d3-flamegraph.umd.min.js"></script></body></html>`;

/** @param modules folder in which the peers are installed */
export async function startServer(modules) {
  const texts = new Map(Object.entries({ ...(await massifPage()), "/d3/": d3Page, "/empty/": "<!doctype html>" }));
  const folders = [
    ["/pages/", pages],
    ["/speedscope/", path.join(modules, "speedscope/dist/release")],
    ["/peers/", modules],
  ];
  const contentOf = (name) => {
    const text = texts.get(name);
    if (text !== undefined) return text;
    for (const [prefix, folder] of folders) {
      const file = path.join(folder, name.slice(prefix.length));
      if (name.startsWith(prefix) && fs.existsSync(file)) return fs.readFileSync(file);
    }
    return undefined;
  };
  const server = http.createServer(({ url }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const content = contentOf(pathname.endsWith("/speedscope/") ? `${pathname}index.html` : pathname);
    const type = pathname.endsWith("/") ? TYPES[".html"] : TYPES[path.extname(pathname)];
    response.writeHead(content === undefined ? 404 : 200, type ? { "content-type": type } : {});
    response.end(content ?? "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    /** Gives the pages something to read at a path. */
    put: (name, text) => texts.set(name, text),
    close: () => server.close(),
  };
}
