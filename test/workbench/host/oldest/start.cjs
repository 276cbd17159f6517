// Starts VS Code's server where its own entry point only hands itself out, as that of code-server 4.93 does; those of
// the other hosts listen by themselves.
const http = require("node:http");
const { loadCodeWithNls } = require("./node_modules/code-server/lib/vscode/out/server-main.js");

function option(name) {
  const start = `--${name}=`;
  return process.argv.find((one) => one.startsWith(start))?.slice(start.length);
}

async function start() {
  const code = await loadCodeWithNls();
  if (process.argv.includes("--install-extension")) return code.spawnCli();
  const server = http.createServer();
  await new Promise((listening) => server.listen(Number(option("port")), option("host"), listening));
  const api = await code.createServer(server.address());
  server.on("request", (request, response) => api.handleRequest(request, response));
  server.on("upgrade", (request, socket) => api.handleUpgrade(request, socket));
  process.on("exit", () => api.dispose());
  console.log(`Extension host agent listening on ${server.address().port}`);
}

start().catch((error) => {
  console.error(error);
  process.exit(1);
});
